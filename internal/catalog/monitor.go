package catalog

import (
	"errors"
	"io/fs"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A monitor records when the system has last reported a change of something that the lists depend on.
// Times are ticks of the project's clock.
type monitor struct {
	watcher *fswatch.Watcher
	add     func(folder string) (added bool, err error) // to the watched folders
	clock   *atomic.Uint64
	woken   chan struct{} // has a value when there are new events

	mu       sync.Mutex
	last     uint64             // time of the last event
	followed uint64             // when the last look began whose results are all watched
	needs    interests          // of the last look; they do not change
	observed map[string]int     // additional files to watch, by Observe
	reported map[string]bool    // those of them whose changes are reported
	arrivals map[string]arrival // at the folders whose paths are not in watched folders
}

// An arrival is the result of trying to reach a folder.
type arrival struct {
	reached bool
	id      files.FileID
}

func arrive(folder string) arrival {
	was, err := files.StampOf(folder + "/.") // which takes the permission to search it
	return arrival{err == nil, was.ID}
}

// minOpenFiles is how many files a process must be able to open to watch. With fewer, scripts need
// the descriptors more than the watch, which polls the files instead.
const minOpenFiles = 66

// startMonitor starts a monitor; nothing is watched yet.
func startMonitor(p *Project) (m *monitor, err error) {
	if process.OpenFiles() < minOpenFiles {
		return nil, errors.New("too few files may be open (ulimit -n)")
	}
	m = &monitor{clock: &p.clock, woken: make(chan struct{}, 1), needs: p.newInterests(),
		observed: make(map[string]int), arrivals: make(map[string]arrival)}
	m.last = p.clock.Add(1) // nothing that was found before was watched
	if m.watcher, err = fswatch.New(p.o.Own, m.note); err != nil {
		return nil, err
	}
	m.add = m.watcher.Add
	return m, nil
}

// note records an event at a path; "" for one that may concern everything.
func (m *monitor) note(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if path == "" || m.needs.counts(path) || m.needs.folders[path] {
		m.happened()
	}
}

// happened records an event. m.mu is held.
func (m *monitor) happened() {
	m.last = m.clock.Add(1)
	select {
	case m.woken <- struct{}{}:
	default:
	}
}

// settle returns when everything that happened before it was called was noted, and reports whether
// that is certain.
//
// The system reports what happens in folders, but not that a path leads to another folder because of a
// change above it. So settle tries where the paths to the project lead.
func (m *monitor) settle() bool {
	settled := m.watcher.Settle()
	m.mu.Lock()
	defer m.mu.Unlock()
	moved := false
	for folder, before := range m.arrivals {
		if now := arrive(folder); now != before {
			m.arrivals[folder], moved = now, true
		}
	}
	if moved {
		m.watcher.Keep(func(string) bool { return false })
		m.happened()
	}
	return settled
}

// lastEvent returns the time of the last event. If sure, results that are newer than it are up to date.
func (m *monitor) lastEvent() (last uint64, sure bool) {
	settled := m.settle()
	last, sure = m.lastNoted()
	return last, settled && sure
}

// lastNoted is lastEvent, but events may be on their way.
func (m *monitor) lastNoted() (last uint64, sure bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last, m.watcher.Settles() && !m.needs.blind && m.last <= m.followed
}

// polls reports whether some changes are not reported: all of those to which links lead, or only that the
// path to the project, which has links, leads elsewhere.
func (m *monitor) polls() (all, path bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.needs.blind, m.needs.home != m.needs.root
}

// follow watches what the lists depend on, and reports whether something of it was not watched before:
// then what was found at began may be outdated already.
func (m *monitor) follow(began uint64, needs interests) (again bool, err error) {
	lists := maps.Clone(needs.folders)
	m.mu.Lock()
	reported := make(map[string]bool)
	for path := range m.observed {
		reported[path] = needs.file(depOf(path))
	}
	again = !m.needs.cover(needs)
	m.needs = needs
	for folder := range needs.outer {
		if _, known := m.arrivals[folder]; !known {
			m.arrivals[folder], again = arrive(folder), true
		}
	}
	m.mu.Unlock()
	for folder := range needs.folders {
		added, err := m.add(folder)
		_, ofLists := lists[folder]
		switch {
		case files.IsMissing(err), errors.Is(err, fs.ErrPermission):
			// The folder above reports when that changes.
		case err != nil && ofLists:
			return false, err
		case err != nil:
			maps.DeleteFunc(reported, func(path string, _ bool) bool { return within(folder, path) })
		default:
			again = again || added
		}
	}
	m.watcher.Keep(func(folder string) bool { _, needed := needs.folders[folder]; return needed })
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reported = reported; again {
		m.last = m.clock.Add(1)
	} else {
		m.followed = began
	}
	return again, nil
}

// Observe makes Watch call happened when a file changes, which may be anywhere, until release is
// called. While reported returns false, the system cannot report changes, and the caller has to
// poll; happened is called when that changes.
func (p *Project) Observe(path string) (reported func() bool, release func()) {
	m := p.monitor.Load()
	if m == nil {
		return func() bool { return false }, func() {}
	}
	m.observe(path, 1)
	return func() bool { return p.monitor.Load() == m && m.reports(path) }, func() { m.observe(path, -1) }
}

// observe adds to the number of those who observe a file. It is watched from the next look on.
func (m *monitor) observe(path string, more int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.observed[path] += more; m.observed[path] == 0 {
		delete(m.observed, path)
	} else if _, known := m.reported[path]; !known {
		m.happened()
	}
}

// reports reports whether all changes of an observed file are reported.
func (m *monitor) reports(path string) bool {
	settled := m.settle()
	m.mu.Lock()
	defer m.mu.Unlock()
	return settled && m.reported[path]
}
