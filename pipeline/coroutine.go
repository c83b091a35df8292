package pipeline

import (
	"iter"
	"sync"
	"sync/atomic"
)

// A coroutine takes turns through the chain, one after the other, on a stack of its own. So whoever reads goes on when a
// message awaits a [Promise], and whoever settles that takes the message on: neither hands anything to another goroutine,
// which would take longer than the chain does. A stack that has been in the chain is large enough for the next turn.
type coroutine struct {
	p    *Pipeline
	next func() (struct{}, bool) // continues it, until it goes back
	stop func()                  // ends it while it is idle
	back func(struct{}) bool     // goes back to whoever continued it

	turn    *turn
	handle  Handler
	promise *Promise // why it goes back; nil: its turn is over

	leave atomic.Pointer[turn] // the turn, while it may go back
	again chan struct{}        // has a value when it may, again
}

func newCoroutine(p *Pipeline) *coroutine {
	c := &coroutine{p: p, again: make(chan struct{}, 1)}
	c.next, c.stop = iter.Pull(c.run)
	return c
}

// run is the coroutine.
func (c *coroutine) run(back func(struct{}) bool) {
	c.back = back
	for more := true; more; more = back(struct{}{}) {
		t := c.turn
		c.p.serve(t, c.handle)
		c.p.done(t)
		for !c.leave.CompareAndSwap(t, nil) { // a goroutine that a stage has started has gone back in its place
			<-c.again
		}
	}
}

// run takes the message of a turn through h, and returns when it is answered or awaits a promise.
func (p *Pipeline) run(t *turn, h Handler) {
	c := p.coroutines.take()
	if c == nil {
		c = newCoroutine(p)
	}
	c.turn, c.handle, t.coroutine = t, h, c
	t.drive()
}

// drive continues a turn until it is over or awaits a promise.
func (t *turn) drive() {
	c := t.coroutine
	t.mu.Lock()
	t.driven = true
	t.mu.Unlock()
	for {
		c.leave.Store(t)
		select {
		case c.again <- struct{}{}:
		default:
		}
		c.next()
		q := c.promise
		c.promise = nil
		if q == nil {
			c.p.coroutines.put(c)
		} else if !q.park() {
			continue // it has what it waits for
		}
		t.goneBack()
		return
	}
}

// await goes back until q is settled or its context done, and lets who drives the turn go on with others. It reports
// false if nobody does: then a goroutine that a stage has started calls it, while another awaits something.
func (t *turn) await(q *Promise) bool {
	if f := t.onYield.Swap(nil); f != nil {
		(*f)()
	}
	c := t.coroutine
	if !c.leave.CompareAndSwap(t, nil) {
		t.yield()
		return false
	}
	c.promise = q
	c.back(struct{}{})
	return true
}

// goneBack notes that nobody drives the turn any more.
func (t *turn) goneBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.driven = false
	if t.back != nil {
		close(t.back)
		t.back = nil
	}
}

// goesBack returns a channel that is closed when nobody drives the turn any more, nil if nobody does.
func (t *turn) goesBack() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.driven && t.back == nil {
		t.back = make(chan struct{})
	}
	return t.back
}

// coroutines are those that are idle.
type coroutines struct {
	mu     sync.Mutex
	idle   []*coroutine
	closed bool
}

// maxIdle is the most coroutines that are kept for later turns. A stack has some 16 KiB.
const maxIdle = 64

func (s *coroutines) take() *coroutine {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	if last < 0 {
		return nil
	}
	c := s.idle[last]
	s.idle = s.idle[:last]
	return c
}

func (s *coroutines) put(c *coroutine) {
	c.turn, c.handle = nil, nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.idle) == maxIdle {
		c.stop()
		return
	}
	s.idle = append(s.idle, c)
}

// close ends those that are idle, and each other when it becomes so.
func (s *coroutines) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, c := range s.idle {
		c.stop()
	}
	s.idle = nil
}
