package process

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrClosed is the error of a Runner that was closed: it starts nothing any more, and has ended what was
// running.
var ErrClosed = errors.New("the server is ending, so scripts do not run any more")

// Close ends all running commands and returns when their last process is gone. They are asked to
// end (TERM), and what is left after the grace period is killed, even if its [Command] has a
// longer one or it was cancelled before; a grace of 0 or less kills at once. From its call on
// nothing is started: Run returns [ErrClosed].
//
// It waits at most some seconds longer than the grace, for processes that survive KILL and
// writers that do not return; the error contains how many commands were left. A second call
// waits for the first.
func (r *Runner) Close(grace time.Duration) error {
	c := &r.closing
	select {
	case <-c.begin(time.Now().Add(grace)):
	case <-time.After(grace + stuck):
		c.mu.Lock()
		defer c.mu.Unlock()
		return fmt.Errorf("%d commands could not be ended", len(c.runs))
	}
	r.endGuard()
	r.adoption.end()
	return nil
}

// closing is the state of a Runner that Close needs. The zero value is open.
type closing struct {
	mu    sync.Mutex
	runs  map[*stop]struct{} // those that have not returned
	limit time.Time          // when what is left is killed; zero while open
	gone  chan struct{}      // closed when no run is left; nil while open
}

// enter adds a run, before its command is started. It returns false if the Runner is closed.
func (c *closing) enter(s *stop) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != nil {
		return false
	}
	if c.runs == nil {
		c.runs = map[*stop]struct{}{}
	}
	c.runs[s] = struct{}{}
	return true
}

func (c *closing) leave(s *stop) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, s)
	if len(c.runs) == 0 && c.gone != nil {
		close(c.gone)
	}
}

// begin closes the Runner. The channel is closed when no run is left.
func (c *closing) begin(limit time.Time) (gone <-chan struct{}) {
	c.mu.Lock()
	first := c.gone == nil
	if first {
		c.limit, c.gone = limit, make(chan struct{})
		if len(c.runs) == 0 {
			close(c.gone)
		}
	}
	gone, runs := c.gone, slices.Collect(maps.Keys(c.runs))
	c.mu.Unlock()
	if first {
		for _, s := range runs {
			s.requestEnd(limit)
		}
	}
	return gone
}

// sooner returns the end of a grace period, or the limit of Close if that is earlier or until
// is zero.
func (c *closing) sooner(until time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.limit.IsZero() && (until.IsZero() || c.limit.Before(until)) {
		return c.limit
	}
	return until
}
