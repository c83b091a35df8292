//go:build !linux

package fswatch

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// A Watcher watches paths. Its methods may be called from several goroutines.
type Watcher struct {
	notify func(Event)
	system *fsnotify.Watcher

	mu     sync.Mutex
	points map[string]Interest
}

// New returns a watcher that calls notify for each event, one call at a time. notify must not
// block, nor call the watcher.
func New(notify func(Event)) (*Watcher, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &Watcher{notify: notify, system: system, points: make(map[string]Interest)}, nil
}

// Close ends the watching.
func (w *Watcher) Close() error { return w.system.Close() }

// Add has events of a path reported from now on. changed reports whether it was not watched. The
// error wraps fs.ErrNotExist, fs.ErrPermission or [ErrFar], or says that the system watches no
// more paths. Of a path alone nothing is reported here.
func (w *Watcher) Add(path string, what Interest) (changed bool, err error) {
	if what == Itself {
		return false, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, known := w.points[path]
	if !known {
		if err := checkLocal(path); err != nil {
			return false, err
		}
		if err := w.system.Add(path); err != nil {
			return false, err
		}
	}
	w.points[path] = before | what
	return w.points[path] != before, nil
}

// Remove ends the reports about a path.
func (w *Watcher) Remove(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.points, path)
	w.system.Remove(path) // an error says that it is gone already
}

// Paths are the paths that are watched.
func (w *Watcher) Paths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.AppendSeq(make([]string, 0, len(w.points)), maps.Keys(w.points))
}

// Drain returns when notify was called for everything that happened before Drain was called. It
// reports whether it can say so, which it cannot here.
func (w *Watcher) Drain() bool { return false }

// Run has events reported as they happen, until ctx ends or the watcher is closed.
func (w *Watcher) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			w.system.Close()
			return
		case e, open := <-w.system.Events:
			if !open {
				return
			}
			w.event(e)
		case _, open := <-w.system.Errors: // as when there was more to report than it could keep
			if !open {
				return
			}
			w.notify(Event{})
		}
	}
}

// event reports an event of a folder that is watched, or of what is in one.
func (w *Watcher) event(e fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	folder, name := filepath.Split(e.Name)
	folder = filepath.Clean(folder)
	inside, above := w.points[folder]
	whole, itself := w.points[e.Name]
	if itself && (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) {
		delete(w.points, e.Name) // the system reports no more of it
	}
	if above {
		w.notify(Event{folder, name, inside})
	}
	if itself {
		w.notify(Event{e.Name, "", whole})
	}
}
