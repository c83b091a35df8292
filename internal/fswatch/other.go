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

// New returns a watcher that calls notify for each event, one call at a time. notify must not block
// or call the watcher.
func New(notify func(Event)) (*Watcher, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &Watcher{notify: notify, system: system, points: make(map[string]Interest)}, nil
}

// Exits tells the watcher that the process ends soon after [Watcher.Close]. Here that makes no
// difference.
func (w *Watcher) Exits() {}

// Close stops the watcher.
func (w *Watcher) Close() error { return w.system.Close() }

// Add starts reporting events of a path. changed reports whether it was not watched before. The
// error wraps fs.ErrNotExist or fs.ErrPermission, or reports that the system cannot watch more
// paths. Whether everything that happens at the path is reported, [Watcher.CheckLocal] tells. What is
// about the path alone is not supported here: nothing is reported.
func (w *Watcher) Add(path string, what Interest) (changed bool, err error) {
	if !what.Inside() {
		return false, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, known := w.points[path]
	if !known {
		if err := w.system.Add(path); err != nil {
			return false, err
		}
	}
	w.points[path] = before | what
	return w.points[path] != before, nil
}

// CheckLocal returns an error that wraps [ErrRemote] for a path on a file system that others may
// change as well. Here the device of the path is of no use.
func (w *Watcher) CheckLocal(path string, _ uint64) error { return checkLocal(path) }

// Remove stops reporting events of a path.
func (w *Watcher) Remove(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.points, path)
	w.system.Remove(path) // an error means that it is gone already
}

// Paths returns the watched paths.
func (w *Watcher) Paths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.AppendSeq(make([]string, 0, len(w.points)), maps.Keys(w.points))
}

// Drain returns when notify was called for everything that happened before Drain was called. It
// reports whether it can guarantee that; here it cannot.
func (w *Watcher) Drain() bool { return false }

// Run reports events as they happen, until ctx ends or the watcher is closed.
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
		case _, open := <-w.system.Errors: // such as an overflow of its queue
			if !open {
				return
			}
			w.notify(Event{})
		}
	}
}

// event reports an event of a watched path, or of an entry of a watched folder.
func (w *Watcher) event(e fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	folder, name := filepath.Split(e.Name)
	folder = filepath.Clean(folder)
	inside, above := w.points[folder]
	whole, itself := w.points[e.Name]
	if itself && (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) {
		delete(w.points, e.Name) // the system no longer reports it
	}
	if above {
		w.notify(Event{folder, name, inside})
	}
	if itself {
		w.notify(Event{e.Name, "", whole})
	}
}
