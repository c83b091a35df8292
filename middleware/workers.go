package middleware

import (
	"context"
	"slices"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Workers bounds how many calls work at once: each needs one of the slots for as
// long as it does, and gets it in the order in which it arrived. While it waits,
// what comes behind it is served. A call whose context ends while it waits leaves
// the queue with the cause; one that finds the queue full is refused with -32000.
//
// The calls of which slow reports true have their slot before they go on, and
// keep it until they are answered. That is all that a simple server needs:
//
//	middleware.Workers(middleware.NewSlots(4, 100), slow, nil)
//
// Those of which asks reports true go on without one. Their handler asks for it
// with [pipeline.Work], once it knows that there is something to do, so a call
// that it refuses before is answered in its turn, however many others wait. The
// slot is free again when the handler says so, and at the latest when the call is
// answered. A nil func is false for all calls; calls that are neither never wait.
//
// Several pipelines may share the slots.
//
// It is the border between "in order" and "in parallel": without it, calls either
// hold up the ones behind them or work beside them in any number.
func Workers(slots *Slots, slow, asks func(*pipeline.Message) bool) pipeline.Middleware {
	return pipeline.Middleware{
		Name: "workers",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			waits := m.Kind() == pipeline.Call && slow != nil && slow(m)
			if !waits && (m.Kind() != pipeline.Call || asks == nil || !asks(m)) {
				return next(ctx, m)
			}
			w := &worker{slots: slots, arrival: slots.arrive()}
			defer w.end()
			if waits {
				if _, err := w.work(ctx, nil); err != nil {
					return nil, err
				}
			}
			return next(pipeline.WithWorker(ctx, w.work), m)
		},
	}
}

// A worker is what a call asks for its slot. It has one at a time: who asks for
// another one meanwhile works on the same.
type worker struct {
	slots   *Slots
	arrival uint64

	mu     sync.Mutex
	ticket *ticket // nil: none
	over   bool    // the call is answered
}

// work is the [pipeline.Worker] of a call. It takes a place in the queue before
// it yields.
func (w *worker) work(ctx context.Context, wait func(context.Context) error) (done func(), err error) {
	t, err := w.enter(wait == nil)
	if err != nil {
		return nil, err
	}
	pipeline.Yield(ctx)
	defer func() {
		if err != nil && t != nil {
			w.leave()
		}
	}()
	if wait != nil {
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
	if t == nil {
		return func() {}, nil
	}
	if wait != nil {
		w.slots.queue(t)
	}
	select {
	case <-t.called:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // perhaps just when its slot was there
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(w.leave), nil
}

// enter takes a ticket; nil if the call has one.
func (w *worker) enter(ready bool) (*ticket, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over:
		return nil, pipeline.ErrClosed
	case w.ticket != nil:
		return nil, nil
	}
	t, ok := w.slots.enter(w.arrival, ready)
	if !ok {
		return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: %d calls are waiting; try again later", w.slots.backlog)
	}
	w.ticket = t
	return t, nil
}

// end is the end of the call.
func (w *worker) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.giveBack()
}

// leave gives back what the call has.
func (w *worker) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.giveBack()
}

// giveBack is leave with w.mu held.
func (w *worker) giveBack() {
	if w.ticket != nil {
		w.slots.leave(w.ticket)
		w.ticket = nil
	}
}

// Slots are how many calls may work at once, and the queue of those that wait.
// They are safe for concurrent use.
type Slots struct {
	backlog int // how many may wait

	mu      sync.Mutex
	free    int       // nobody in the queue while there is one
	arrived uint64    // calls so far
	waiting int       // calls: those in the queue, and those that wait for something of their own
	queued  []*ticket // by arrival
}

// NewSlots makes n slots and a queue in which backlog calls may wait. Both must be
// positive.
func NewSlots(n, backlog int) *Slots {
	if n < 1 || backlog < 1 {
		panic("middleware.NewSlots: n and backlog must be positive")
	}
	return &Slots{free: n, backlog: backlog}
}

// A ticket is a place in the queue, and then a slot.
type ticket struct {
	arrival uint64
	called  chan struct{} // closed when the slot is there
	waits   bool          // the slot is not there; guarded by Slots.mu
}

// arrive numbers a call.
func (s *Slots) arrive() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived++
	return s.arrived
}

// enter takes a slot, or a place among those that wait; it reports false when
// both are gone. One that is not ready to work gets no slot before queue.
func (s *Slots) enter(arrival uint64, ready bool) (*ticket, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &ticket{arrival: arrival, called: make(chan struct{})}
	switch {
	case ready && s.free > 0:
		s.free--
		close(t.called)
		return t, true
	case s.waiting >= s.backlog:
		return nil, false
	}
	s.waiting++
	t.waits = true
	if ready {
		s.insert(t)
	}
	return t, true
}

// queue says that a ticket which was not ready is now.
func (s *Slots) queue(t *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insert(t)
	s.call()
}

// insert puts a ticket where it belongs, most often at the end. s.mu is held.
func (s *Slots) insert(t *ticket) {
	at := len(s.queued)
	for at > 0 && s.queued[at-1].arrival > t.arrival {
		at--
	}
	s.queued = slices.Insert(s.queued, at, t)
}

// call gives free slots to those who are first. s.mu is held.
func (s *Slots) call() {
	for s.free > 0 && len(s.queued) > 0 {
		t := s.queued[0]
		s.queued = s.queued[1:]
		s.free--
		s.waiting--
		t.waits = false
		close(t.called)
	}
}

// leave gives a place up, or a slot to the first in the queue.
func (s *Slots) leave(t *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !t.waits {
		s.free++
		s.call()
		return
	}
	s.waiting--
	s.queued = slices.DeleteFunc(s.queued, func(o *ticket) bool { return o == t })
}
