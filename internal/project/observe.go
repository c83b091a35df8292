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
	e := p.ear.Load()
	if e == nil || !e.observe(path) {
		return func() bool { return false }, func() {}
	}
	return func() bool { return p.ear.Load() == e && e.reports() }, func() { e.forget(path) }
}

// observe has the system report what happens to a file outside of the lists.
func (e *ear) observe(path string) bool {
	x := noInterests()
	x.file(path, depOf(path).stamp)
	e.mu.Lock()
	e.observed[path]++
	e.mu.Unlock()
	for at, what := range x.points {
		if _, err := e.add(at, what); err != nil && !isMissing(err) {
			e.forget(path)
			return false
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for at := range x.awaited {
		e.awaited[at] = true
	}
	return true
}

// forget ends an observation. What was watched for it alone is watched until the lists are followed
// the next time.
func (e *ear) forget(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.observed[path]--; e.observed[path] <= 0 {
		delete(e.observed, path)
	}
}

// observing adds the files that are observed.
func (e *ear) observing(x interests) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for path := range e.observed {
		x.file(path, depOf(path).stamp)
	}
}

// noInterests are none so far.
func noInterests() interests {
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
