package project

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// An ear knows what the system has reported of the files that the lists depend on. Times are ticks
// of the project's clock.
type ear struct {
	watcher *fswatch.Watcher
	add     func(path string, what fswatch.Interest) (changed bool, err error) // to what the watcher watches
	clock   *atomic.Uint64
	woken   chan struct{} // has a value when there is news
	ready   chan struct{} // closed when the first look is over
	begin   func()        // closes ready, once

	mu       sync.Mutex
	last     uint64            // when there was news last
	all      uint64            // when there was news that may concern any folder
	folders  map[string]uint64 // when there was news of a folder alone, since followed
	followed uint64            // when the last look began after which all that it found is watched
	failed   error             // why not all can be watched; nil if it can
	shared   map[string]bool   // folders that entries of other folders depend on
	observed map[string]int    // files that somebody wants to know of besides
	awaited  map[string]bool   // paths that are waited for in folders that matter for nothing else
}

// fewFiles is how many files a process that watches can have open at least. With fewer, scripts
// need the descriptors more than the watch, which looks at the files instead.
const fewFiles = 66

var errFewFiles = errors.New("too few files may be open (ulimit -n)")

// listen opens an ear.
func listen(clock *atomic.Uint64) (*ear, error) {
	e := &ear{clock: clock, woken: make(chan struct{}, 1), ready: make(chan struct{}), folders: make(map[string]uint64), observed: make(map[string]int)}
	e.begin = sync.OnceFunc(func() { close(e.ready) })
	e.all = clock.Add(1) // nothing that was found before was watched
	e.last = e.all
	if script.OpenFiles() < fewFiles {
		return nil, errFewFiles
	}
	var err error
	if e.watcher, err = fswatch.New(e.note); err != nil {
		return nil, err
	}
	e.add = e.watcher.Add
	return e, nil
}

// note notes an event. The watcher calls it, in whatever goroutine reads the events.
func (e *ear) note(event fswatch.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	alone := event.Path != "" && event.Name != ""
	if alone && event.What&fswatch.Contents == 0 && !e.awaited[filepath.Join(event.Path, event.Name)] {
		return
	}
	e.last = e.clock.Add(1)
	if alone && event.What&fswatch.Contents != 0 && !e.shared[event.Path] {
		e.folders[event.Path] = e.last
	} else {
		e.all = e.last
	}
	e.wake()
}

func (e *ear) wake() {
	select {
	case e.woken <- struct{}{}:
	default:
	}
}

// news is when there was news last. What was found after that, and what was found before it and
// not concerned, is what a look would find now, if sure.
func (e *ear) news() (last uint64, sure bool) {
	drained := e.watcher.Drain()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last, drained && e.failed == nil && e.last <= e.followed
}

// reports reports whether there is, or will soon be, a time for which news is sure.
func (e *ear) reports() bool {
	drained := e.watcher.Drain()
	e.mu.Lock()
	defer e.mu.Unlock()
	return drained && e.failed == nil
}

// quiet returns what reports whether a folder is as it was found at a time, by a look that begins
// now.
func (e *ear) quiet(found uint64) func(folder string) bool {
	if !e.watcher.Drain() {
		return func(string) bool { return false }
	}
	return func(folder string) bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		news := max(e.all, e.folders[folder])
		return e.failed == nil && news <= found && news <= e.followed
	}
}

// watch has the system report what happens in a folder, before it is looked at.
func (e *ear) watch(folder string) {
	_, err := e.add(folder, fswatch.Contents)
	if err == nil || isMissing(err) || errors.Is(err, fs.ErrPermission) {
		return // the folder above reports when it appears, or when it can be read
	}
	e.fail(err)
}

// fail notes that not all can be watched.
func (e *ear) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed == nil {
		e.failed = err
		e.wake()
	}
}

// follow has the system report what happens at the paths that the lists depend on, and reports
// whether one of them was not watched before: then what was found at began may be outdated already.
func (e *ear) follow(began uint64, wanted interests, known func(folder string) bool) (again bool, err error) {
	e.observing(wanted)
	e.mu.Lock()
	e.shared, e.awaited = wanted.shared, wanted.awaited
	e.mu.Unlock()
	for path, what := range wanted.points {
		changed, err := e.add(path, what)
		if err != nil && !isMissing(err) {
			return false, err
		}
		again = again || changed
	}
	for _, path := range e.watcher.Paths() {
		if wanted.points[path] == 0 && !known(path) {
			e.watcher.Remove(path)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.failed != nil:
		return false, e.failed
	case again:
		e.all = e.clock.Add(1)
		e.last = e.all
	default:
		e.followed = began
		if e.last <= began {
			clear(e.folders)
		}
	}
	return again, nil
}
