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
	limit := time.Now().Add(grace)
	gone := r.closing.begin(limit)
	select {
	case <-gone:
	case <-time.After(grace + stuck):
		return fmt.Errorf("%d commands could not be ended", r.closing.left())
	}
	r.endGuard()
	r.adoption.end()
	return nil
}

// closing is the state of a Runner that Close needs. The zero value is open.
type closing struct {
	mu      sync.Mutex
	running int
	stops   map[*stop]struct{} // of the commands that have started
	limit   time.Time          // when what is left is killed; zero while open
	gone    chan struct{}      // closed when no run is left; nil while open
}

// enter counts a run. It returns false if the Runner is closed.
func (c *closing) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.limit.IsZero() {
		return false
	}
	c.running++
	return true
}

func (c *closing) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.running == 0 && c.gone != nil {
		close(c.gone)
	}
}

func (c *closing) left() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// add adds a command that has started to those that are ended when the Runner is closed.
func (c *closing) add(s *stop) {
	c.mu.Lock()
	limit := c.limit
	if c.stops == nil {
		c.stops = map[*stop]struct{}{}
	}
	c.stops[s] = struct{}{}
	c.mu.Unlock()
	if !limit.IsZero() {
		s.requestEnd(limit)
	}
}

// remove undoes add.
func (c *closing) remove(s *stop) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.stops, s)
}

// begin closes the Runner. The channel is closed when no run is left.
func (c *closing) begin(limit time.Time) (gone <-chan struct{}) {
	c.mu.Lock()
	first := c.gone == nil
	if first {
		c.limit, c.gone = limit, make(chan struct{})
		if c.running == 0 {
			close(c.gone)
		}
	}
	gone, stops := c.gone, slices.Collect(maps.Keys(c.stops))
	c.mu.Unlock()
	if first {
		for _, s := range stops {
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
