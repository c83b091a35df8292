package middleware

import (
	"context"
	"sync"
	"time"
)

// A lazyContext is what context.WithCancelCause returns, made when somebody wants to
// know when it ends. Most calls are answered before anybody asks. A parent must be
// set.
type lazyContext struct {
	parent context.Context

	mu     sync.Mutex
	made   context.Context // nil: nobody has asked yet
	end    context.CancelCauseFunc
	ended  bool
	reason error // with which it ended before it was made
}

// cancel ends the context with a cause, as a CancelCauseFunc does.
func (c *lazyContext) cancel(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.made != nil:
		c.end(cause)
	case !c.ended:
		c.ended, c.reason = true, cause
	}
}

// context returns the context itself.
func (c *lazyContext) context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made, c.end = context.WithCancelCause(c.parent)
		if c.ended {
			c.end(c.reason)
		}
	}
	return c.made
}

func (c *lazyContext) Done() <-chan struct{} { return c.context().Done() }

func (c *lazyContext) Err() error { return c.context().Err() }

func (c *lazyContext) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Value also answers for package context, which asks for the context that it knows
// when it looks for a cause or for whom to tell the end: with a key of its own, that
// can only be found by asking. While the context has not been asked for and has not
// ended it is as its parent is.
func (c *lazyContext) Value(key any) any {
	c.mu.Lock()
	known := c.made
	ended := c.ended
	c.mu.Unlock()
	switch {
	case known != nil:
		return known.Value(key)
	case ended:
		return c.context().Value(key)
	}
	return c.parent.Value(key)
}
