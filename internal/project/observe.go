package project

import (
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
)

// Observe makes Watch call happened when a file changes, which may be anywhere, until release is
// called. While reported returns false, the system cannot report changes, and the caller has to
// poll; happened is called when that changes.
func (p *Project) Observe(path string) (reported func() bool, release func()) {
	m := p.monitor.Load()
	if m == nil || !m.observe(path) {
		return func() bool { return false }, func() {}
	}
	return func() bool { return p.monitor.Load() == m && m.reliable() }, func() { m.forget(path) }
}

// observe starts watching a file outside of the lists.
func (m *monitor) observe(path string) bool {
	x := newInterests()
	x.file(path, depOf(path).stamp)
	m.omitTried(x)
	m.mu.Lock()
	m.observed[path]++
	m.mu.Unlock()
	for at, what := range x.points {
		if _, err := m.addLocal(at, what); err != nil && !isMissing(err) {
			m.forget(path)
			return false
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for at := range x.awaited {
		m.awaited[at] = true
	}
	return true
}

// forget ends an observation. Paths that were watched only for it stay watched until follow is
// called next.
func (m *monitor) forget(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.observed[path]--; m.observed[path] <= 0 {
		delete(m.observed, path)
	}
}

// addObserved adds the observed files.
func (m *monitor) addObserved(x interests) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for path := range m.observed {
		x.file(path, depOf(path).stamp)
	}
}

// newInterests returns empty interests.
func newInterests() interests {
	return interests{make(map[string]fswatch.Interest), make(map[string]bool), make(map[string]bool), make(map[string]string)}
}

// Stamp returns a value that differs when the file at path has changed; "" if only reading it can
// tell.
func Stamp(path string) string {
	s, err := stampAt(path)
	if err != nil || !s.mode.IsRegular() || !s.settled {
		return ""
	}
	return fmt.Sprint(s.size, s.modified, s.changed, s.id)
}
