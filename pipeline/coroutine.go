package pipeline

import (
	"iter"
	"sync"
)

// A coroutine takes turns through the chain, one after the other, on a stack of its own. So whoever reads goes on when
// a message awaits a [Promise], and whoever settles that takes the message on: neither hands anything to another
// goroutine, which would take longer than the chain does. A stack that has been in the chain is large enough for the
// next turn.
type coroutine struct {
	p    *Pipeline
	next func() (struct{}, bool) // continues it, until it goes back
	stop func()                  // ends it while it is idle
	back func(struct{}) bool     // goes back to whoever continued it

	turn   *turn
	handle Handler
}

func newCoroutine(p *Pipeline) *coroutine {
	c := &coroutine{p: p}
	c.next, c.stop = iter.Pull(c.run)
	return c
}

// run is the coroutine.
func (c *coroutine) run(back func(struct{}) bool) {
	c.back = back
	for more := true; more; more = back(struct{}{}) {
		t := c.turn
		t.continued()
		c.p.serve(t, c.handle)
		c.p.done(t)
		for again := t.leave(); again != nil; again = t.leave() {
			<-again
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
	t.mu.Lock()
	t.drives.driven = true
	t.mu.Unlock()
	for c := t.coroutine; ; {
		c.next()
		if q := t.promise.Load(); q == nil { // the turn is over
			c.p.coroutines.put(c)
		} else if !q.park() {
			continue // it has what it waits for
		}
		t.goneBack()
		return
	}
}

// await goes back until q is settled or its context done, and lets who drives the turn go on with others. If somebody
// has gone back in its place, a goroutine that a stage has started, it returns a channel that is closed when it may try
// again.
func (t *turn) await(q *Promise) (again <-chan struct{}) {
	if f := t.onYield.Swap(nil); f != nil {
		(*f)()
	}
	if again = t.leave(); again != nil {
		t.yield()
		return again
	}
	t.promise.Store(q)
	t.coroutine.back(struct{}{})
	t.promise.Store(nil)
	t.continued()
	return nil
}

// A drive is how a turn is continued by others; guarded by the turn's mu.
type drive struct {
	driven bool          // somebody drives it
	leaves bool          // it can go back to them
	back   chan struct{} // closed when nobody drives it any more; nil: nobody waits for that
	again  chan struct{} // closed when it can go back; the same
}

// continued notes that the turn was continued, and can go back.
func (t *turn) continued() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drives.leaves = true
	t.drives.again = closed(t.drives.again)
}

// leave decides who goes back to who drives the turn: the caller, or else it returns a channel that is closed when it
// may try again.
func (t *turn) leave() (again <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.drives.leaves && t.drives.again == nil {
		t.drives.again = make(chan struct{})
	}
	t.drives.leaves = false
	return t.drives.again
}

// goneBack notes that nobody drives the turn any more.
func (t *turn) goneBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drives.driven = false
	t.drives.back = closed(t.drives.back)
}

// goesBack returns a channel that is closed when nobody drives the turn any more, nil if nobody does.
func (t *turn) goesBack() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.drives.driven && t.drives.back == nil {
		t.drives.back = make(chan struct{})
	}
	return t.drives.back
}

// closed closes c, if it is not nil, and returns nil.
func closed(c chan struct{}) chan struct{} {
	if c != nil {
		close(c)
	}
	return nil
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
