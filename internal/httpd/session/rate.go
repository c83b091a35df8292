package session

import (
	"maps"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// leastSweep is how many users are kept in any case.
const leastSweep = 128

// A Rate bounds how many calls each user makes in any minute. Those of a session whose user is not told apart from
// others are bounded by its server instead. A nil Rate does not limit. It may be used by several goroutines.
type Rate struct {
	most int

	mu    sync.Mutex
	users map[string]*limit.Minute // those seen lately
	sweep int                      // how many users are looked through
}

// NewRate returns a limit for each user; nil for 0, no limit.
func NewRate(most int) *Rate {
	if most <= 0 {
		return nil
	}
	return &Rate{most: most, users: make(map[string]*limit.Minute), sweep: leastSweep}
}

// Take returns the error for a user who has used up the limit.
func (r *Rate) Take(user string) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.users[user]
	if l == nil {
		r.forget()
		l = limit.PerMinute(r.most)
		r.users[user] = l
	}
	if !l.Allow() {
		return pipeline.Errorf(mcp.CodeBusy, "Too many calls: at most %d a minute; try again later", r.most)
	}
	return nil
}

// TakeFor is Take for each call in a message of a session. That of a user who is not told apart from others, "", always
// passes.
func (r *Rate) TakeFor(user string, m *pipeline.Message) error {
	switch {
	case user == "":
	case m.Kind() == pipeline.Call:
		return r.Take(user)
	case m.Kind() == pipeline.Batch:
		for one := range m.Items() {
			if err := r.TakeFor(user, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget forgets who has the whole limit again, each time that the number of users has doubled. r.mu
// is held.
func (r *Rate) forget() {
	if len(r.users) < r.sweep {
		return
	}
	maps.DeleteFunc(r.users, func(_ string, l *limit.Minute) bool { return l.Passed() == 0 })
	r.sweep = max(leastSweep, 2*len(r.users))
}
