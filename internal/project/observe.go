package project

import (
	"fmt"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
)

// Observe has Watch call happened when something happens to a file, which may lie anywhere, until
// release is called. While reported says that the system cannot report that, whoever wants to know
// has to look; happened is called when that changes.
func (p *Project) Observe(path string) (reported func() bool, release func()) {
	m := p.monitor.Load()
	if m == nil || !m.observe(path) {
		return func() bool { return false }, func() {}
	}
	return func() bool { return p.monitor.Load() == m && m.reliable() }, func() { m.forget(path) }
}

// observe has the system report what happens to a file outside of the lists.
func (m *monitor) observe(path string) bool {
	x := newInterests()
	x.file(path, depOf(path).stamp)
	m.mu.Lock()
	m.observed[path]++
	m.mu.Unlock()
	for at, what := range x.points {
		if _, err := m.add(at, what); err != nil && !isMissing(err) {
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

// forget ends an observation. What was watched for it alone is watched until the lists are followed
// the next time.
func (m *monitor) forget(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.observed[path]--; m.observed[path] <= 0 {
		delete(m.observed, path)
	}
}

// observing adds the files that are observed.
func (m *monitor) addObserved(x interests) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for path := range m.observed {
		x.file(path, depOf(path).stamp)
	}
}

// noInterests are none so far.
func newInterests() interests {
	return interests{make(map[string]fswatch.Interest), make(map[string]bool), make(map[string]bool), make(map[string]bool)}
}

// Stamp is what is another one when the file at path has changed; "" where only reading it tells.
func Stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	s := stampOf(info)
	if !s.settled {
		return ""
	}
	return fmt.Sprint(s.size, s.modified, s.changed, s.id)
}
