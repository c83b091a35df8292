package project

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// A monitor records what the system has reported about the files that the lists depend on. Times
// are ticks of the project's clock.
type monitor struct {
	watcher   *fswatch.Watcher
	add       func(path string, what fswatch.Interest) (changed bool, err error) // to the watched paths
	clock     *atomic.Uint64
	woken     chan struct{} // has a value when there are new events
	ready     chan struct{} // closed when the first look is over
	markReady func()        // closes ready, once

	mu       sync.Mutex
	last     uint64             // time of the last event
	all      uint64             // of the last event that may concern any folder
	folders  map[string]uint64  // of the last event of a folder alone, since followed
	followed uint64             // when the last look began whose results are all watched
	failed   error              // why not everything can be watched; nil if it can
	shared   map[string]bool    // folders that entries of other folders depend on
	observed map[string]int     // additional files to watch, by Observe
	awaited  map[string]bool    // paths that may appear in folders that are otherwise irrelevant
	outer    map[string]arrival // the folders that contain the project
}

// minOpenFiles is how many files a process must be able to open to watch. With fewer, scripts need
// the descriptors more than the watch, which polls the files instead.
const minOpenFiles = 66

var errFewFiles = errors.New("too few files may be open (ulimit -n)")

// startMonitor starts a monitor; nothing is watched yet.
func startMonitor(clock *atomic.Uint64) (*monitor, error) {
	m := &monitor{clock: clock, woken: make(chan struct{}, 1), ready: make(chan struct{}), folders: make(map[string]uint64), observed: make(map[string]int), outer: make(map[string]arrival)}
	m.markReady = sync.OnceFunc(func() { close(m.ready) })
	m.all = clock.Add(1) // nothing that was found before was watched
	m.last = m.all
	if script.OpenFiles() < minOpenFiles {
		return nil, errFewFiles
	}
	var err error
	if m.watcher, err = fswatch.New(m.note); err != nil {
		return nil, err
	}
	m.add = m.watcher.Add
	return m, nil
}

// note records an event. The watcher calls it, in the goroutine that reads the events.
func (m *monitor) note(event fswatch.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	alone := event.Path != "" && event.Name != ""
	if alone && event.What&fswatch.Contents == 0 && !m.awaited[filepath.Join(event.Path, event.Name)] {
		return
	}
	m.last = m.clock.Add(1)
	if alone && event.What&fswatch.Contents != 0 && !m.shared[event.Path] {
		m.folders[event.Path] = m.last
	} else {
		m.all = m.last
	}
	m.wake()
}

func (m *monitor) wake() {
	select {
	case m.woken <- struct{}{}:
	default:
	}
}

// drain returns when everything that happened before it was called was noted, and reports whether
// that is certain.
//
// The system is not asked for changes of the permissions of the folders above the project: for that it
// would mark every file in folders such as /tmp, and wake the server for each of their changes. And it
// does not report that a folder is removed while a process is in it. So drain tries where the paths to
// the project lead.
func (m *monitor) drain() bool {
	if !m.watcher.Drain() {
		return false
	}
	changed := false
	m.mu.Lock()
	for folder, before := range m.outer {
		if now := arrive(folder); now != before {
			m.outer[folder], changed = now, true
		}
	}
	m.mu.Unlock()
	if changed {
		m.note(fswatch.Event{})
	}
	return true
}

// An arrival is the result of trying to reach a folder.
type arrival struct {
	id  fileID        // of the folder; zero if it was not reached
	why syscall.Errno // it was not reached
}

func arrive(folder string) arrival {
	was, err := stampAt(folder + "/.") // which takes the permission to search it
	why, _ := errors.AsType[syscall.Errno](err)
	return arrival{was.id, why}
}

// omitTried removes the interest in what drain tries.
func (m *monitor) omitTried(x interests) {
	tried := newInterests()
	m.mu.Lock()
	defer m.mu.Unlock()
	for folder := range m.outer {
		tried.resolve(folder)
	}
	for path := range tried.points {
		if x.points[path] != 0 {
			x.points[path] &^= fswatch.Mode
		}
	}
}

// lastEvent returns the time of the last event. If sure, results that are newer than it, and older
// results that it does not concern, are up to date.
func (m *monitor) lastEvent() (last uint64, sure bool) {
	drained := m.drain()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last, drained && m.failed == nil && m.last <= m.followed
}

// reliable reports whether lastEvent is sure, or will soon be.
func (m *monitor) reliable() bool {
	drained := m.drain()
	m.mu.Lock()
	defer m.mu.Unlock()
	return drained && m.failed == nil
}

// quiet returns a function for a look that begins now, which reports whether a folder is as it was
// found at a time.
func (m *monitor) quiet(found uint64) func(folder string) bool {
	if !m.drain() {
		return func(string) bool { return false }
	}
	return func(folder string) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		news := max(m.all, m.folders[folder])
		return m.failed == nil && news <= found && news <= m.followed
	}
}

// watch starts watching a folder, before it is read.
func (m *monitor) watch(folder string) {
	_, err := m.add(folder, fswatch.Contents)
	if err == nil || isMissing(err) || errors.Is(err, fs.ErrPermission) {
		return // the folder above reports when it appears, or can be read; until then every look tries
	}
	m.fail(err)
}

// checkLocal records if not all changes of a watched folder are reported.
func (m *monitor) checkLocal(d *dir) {
	if err := m.watcher.CheckLocal(d.path, d.id.device); errors.Is(err, fswatch.ErrRemote) {
		m.fail(err)
	}
}

// addLocal adds a path all of whose changes must be reported.
func (m *monitor) addLocal(path string, what fswatch.Interest) (changed bool, err error) {
	changed, err = m.add(path, what)
	if changed && err == nil && what.Inside() {
		err = m.watcher.CheckLocal(path, 0)
	}
	return changed, err
}

// fail records that not everything can be watched.
func (m *monitor) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed == nil {
		m.failed = err
		m.wake()
	}
}

// hasMore reports whether a set has elements that it did not have before.
func hasMore(now, before map[string]bool) bool {
	for path := range now {
		if !before[path] {
			return true
		}
	}
	return false
}

// follow watches the paths that the lists depend on, and reports whether one of them was not
// watched before, or its events were not noted as they are from now on: then what was found at began
// may be outdated already.
func (m *monitor) follow(began uint64, wanted interests, known func(folder string) bool) (again bool, err error) {
	m.addObserved(wanted)
	m.omitTried(wanted)
	m.mu.Lock()
	again = hasMore(wanted.shared, m.shared) || hasMore(wanted.awaited, m.awaited)
	m.shared, m.awaited = wanted.shared, wanted.awaited
	m.mu.Unlock()
	for path, what := range wanted.points {
		changed, err := m.addLocal(path, what)
		if err != nil && !isMissing(err) {
			return false, err
		}
		again = again || changed
	}
	for _, path := range m.watcher.Paths() {
		if wanted.points[path] == 0 && !known(path) {
			m.watcher.Remove(path)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.failed != nil:
		return false, m.failed
	case again:
		m.all = m.clock.Add(1)
		m.last = m.all
	default:
		m.followed = began
		if m.last <= began {
			clear(m.folders)
		}
	}
	return again, nil
}
