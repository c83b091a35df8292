package streamable

import (
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// leastSweep is how many users are kept in any case.
const leastSweep = 128

// A Rate bounds how many requests without a session each user makes in a minute; those of a session are
// bounded by its server. The limit refills evenly. A nil Rate does not limit. It may be used by several
// goroutines.
type Rate struct {
	most int

	mu    sync.Mutex
	users map[string]*rate.Limiter // those seen lately
	sweep int                      // how many users are looked through
}

// NewRate returns a limit for each user; nil for 0, no limit.
func NewRate(most int) *Rate {
	if most <= 0 {
		return nil
	}
	return &Rate{most: most, users: make(map[string]*rate.Limiter), sweep: leastSweep}
}

// take returns the error for a user who has used up the limit.
func (r *Rate) take(user string) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.users[user]
	if l == nil {
		r.forget()
		l = rate.NewLimiter(rate.Every(time.Minute/time.Duration(r.most)), r.most)
		r.users[user] = l
	}
	if !l.Allow() {
		return pipeline.Errorf(mcp.CodeBusy, "Too many calls: at most %d a minute; try again later", r.most)
	}
	return nil
}

// forget forgets who has the whole limit again, each time that the number of users has doubled. r.mu
// is held.
func (r *Rate) forget() {
	if len(r.users) < r.sweep {
		return
	}
	maps.DeleteFunc(r.users, func(_ string, l *rate.Limiter) bool { return l.Tokens() >= float64(r.most) })
	r.sweep = max(leastSweep, 2*len(r.users))
}
