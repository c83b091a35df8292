// Package fswatch reports what happens in folders. Where the system keeps the order of events, it also
// knows when everything that has happened was reported.
package fswatch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// ErrRemote is the error of Add for a folder on a file system that may change without the system's
// knowledge, such as a network file system.
var ErrRemote = errors.New("a file system that does not report all changes")

// A Watcher watches folders. Its methods may be called from several goroutines.
type Watcher struct {
	notify func(path string)
	system *fsnotify.Watcher

	mu      sync.Mutex
	folders map[string]bool

	// Settle renames a cookie, a file in a folder of ours that is watched too, and waits for the event.
	// Linux has one queue for all events of a watcher, so what happened before was reported before it.
	settling sync.Mutex // one event at a time
	cookies  string     // the folder of the cookie; empty for none
	cookie   string     // its path; another one each time, because the system merges equal events
	renamed  int        // so far
	arrived  chan string
}

// cookieTimeout is how long Settle waits: a thousand times longer than usual.
const cookieTimeout = 100 * time.Millisecond

// New returns a watcher that calls notify for each event, one call at a time, with the path of the folder
// or of the entry in it; empty if events were lost, so that anything may have happened. notify must
// not call the watcher. Cookies are created in own, a private folder; without one, Settle cannot be sure.
func New(own string, notify func(path string)) (*Watcher, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &Watcher{notify: notify, system: system, folders: make(map[string]bool), arrived: make(chan string, 1)}
	if own != "" && runtime.GOOS == "linux" {
		if dir, err := os.MkdirTemp(own, "watch-"); err == nil {
			w.cookie = filepath.Join(dir, "0")
			if os.WriteFile(w.cookie, nil, 0o600) == nil && system.Add(dir) == nil {
				w.cookies = dir
			}
		}
	}
	go w.run()
	return w, nil
}

// Close stops the watcher.
func (w *Watcher) Close() error {
	if w.cookies != "" {
		os.RemoveAll(w.cookies)
	}
	return w.system.Close()
}

// Add starts watching a folder before it returns; added reports whether it was not watched already. The
// error wraps fs.ErrNotExist, fs.ErrPermission or [ErrRemote], or says that the system cannot watch more
// folders.
func (w *Watcher) Add(folder string) (added bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.folders[folder] {
		return false, nil
	}
	if err := checkLocal(folder); err != nil {
		return false, err
	}
	if err := w.system.Add(folder); err != nil {
		return false, err
	}
	w.folders[folder] = true
	return true, nil
}

// Keep stops watching all folders but some.
func (w *Watcher) Keep(some func(folder string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for folder := range w.folders {
		if !some(folder) {
			w.remove(folder)
		}
	}
}

// Len returns how many folders are watched.
func (w *Watcher) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.folders)
}

func (w *Watcher) remove(folder string) {
	delete(w.folders, folder)
	w.system.Remove(folder) // an error means that it is gone already
}

// Settles reports whether Settle can be certain.
func (w *Watcher) Settles() bool { return w.cookies != "" }

// Settle returns when notify was called for everything that happened before Settle was called. It
// reports whether that is certain.
func (w *Watcher) Settle() bool {
	if !w.Settles() {
		return false
	}
	w.settling.Lock()
	defer w.settling.Unlock()
	w.renamed++
	before := w.cookie
	w.cookie = filepath.Join(w.cookies, strconv.Itoa(w.renamed))
	if err := os.Rename(before, w.cookie); err != nil {
		w.cookie = before
		return false
	}
	timeout := time.NewTimer(cookieTimeout)
	defer timeout.Stop()
	for {
		select {
		case name := <-w.arrived: // perhaps one that came too late for the previous call
			if name == w.cookie {
				return true
			}
		case <-timeout.C:
			return false
		}
	}
}

// run reports events until the watcher is closed.
func (w *Watcher) run() {
	events := make(chan fsnotify.Event)
	go w.collect(events)
	for e := range events {
		if e.Op != 0 {
			w.event(e)
			continue
		}
		w.Keep(func(string) bool { return false }) // it may not have been reported that one is elsewhere now
		w.notify("")
	}
}

// collect hands on events in order, and an empty one for an error, such as an overflow of the system's queue. It takes
// errors at once: until then fsnotify holds the lock that it needs to watch or leave a folder, as run may just do.
func (w *Watcher) collect(out chan<- fsnotify.Event) {
	defer close(out)
	var waiting []fsnotify.Event
	for {
		in, to, next := w.system.Events, out, fsnotify.Event{}
		if len(waiting) == 0 {
			to = nil
		} else {
			in, next = nil, waiting[0]
		}
		select {
		case e, open := <-in:
			if !open {
				return
			}
			waiting = append(waiting, e)
		case _, open := <-w.system.Errors:
			if !open {
				return
			}
			if len(waiting) < 2 { // else one waits already
				waiting = append(waiting, fsnotify.Event{})
			}
		case to <- next:
			waiting = waiting[1:]
		}
	}
}

func (w *Watcher) event(e fsnotify.Event) {
	if w.cookies != "" && filepath.Dir(e.Name) == w.cookies {
		if e.Has(fsnotify.Create) {
			select {
			case w.arrived <- e.Name:
			case <-w.arrived: // nobody waits for it any more
				w.arrived <- e.Name
			}
		}
		return
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		w.moved(e.Name)
	}
	w.notify(e.Name)
}

// moved stops watching a folder that is no longer at its path, and those in it: the system would report
// what happens to them elsewhere.
func (w *Watcher) moved(path string) {
	w.Keep(func(folder string) bool {
		return folder != path && !strings.HasPrefix(folder, path+string(filepath.Separator))
	})
}
