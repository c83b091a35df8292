package middleware

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Workers bounds how many calls work at once: each needs one of the slots while it works, and slots
// are given out in the order of arrival. While a call waits, later messages are served. A call
// whose context ends while it waits leaves the queue with the cause; a call that finds the queue
// full is refused with -32000.
//
// Calls for which slow reports true get their slot before they go on, and keep it until they are
// answered. That is enough for a simple server:
//
//	middleware.Workers(middleware.NewSlots(4, 100), slow, nil)
//
// Calls for which asks reports true go on without one. Their handler asks for it with
// [pipeline.Work], once it knows that there is something to do, so a call that it refuses before
// that is answered in its turn, however many others wait. The slot is free again when the handler
// releases it, and at the latest when the call is answered. A nil func is false for all calls;
// calls for which neither is true never wait.
//
// Several pipelines may share the slots.
//
// It is the border between serial and parallel work: without it, calls either delay the ones behind
// them or work beside them in any number.
func Workers(slots *Slots, slow, asks func(*pipeline.Message) bool) pipeline.Middleware {
	return pipeline.Middleware{
		Name:  "workers",
		About: func() string { return fmt.Sprintf("%d at once, %d may wait", slots.most, slots.backlog) },
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			waits := m.Kind() == pipeline.Call && slow != nil && slow(m)
			if !waits && (m.Kind() != pipeline.Call || asks == nil || !asks(m)) {
				return next(ctx, m)
			}
			w := &worker{slots: slots, stage: ctx, arrival: slots.arrive()}
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

// A worker gives a call its slot. A call has one slot at a time: another request for one meanwhile
// shares it.
type worker struct {
	slots   *Slots
	stage   context.Context // in which the stage has its say
	arrival uint64

	mu     sync.Mutex
	ticket *ticket // nil: none
	over   bool    // the call has been answered
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
	default:
		if err := w.queued(ctx, t); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil { // perhaps just when its slot was there
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(w.leave), nil
}

// queued waits for the slot of a ticket.
func (w *worker) queued(ctx context.Context, t *ticket) error {
	pipeline.Note(w.stage, "waits for", "a slot")
	began := time.Now()
	select {
	case <-t.called:
		pipeline.Note(w.stage, "slot after", time.Since(began))
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// enter takes a ticket; nil if the call has one already.
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

// end is called at the end of the call.
func (w *worker) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.giveBack()
}

// leave gives back the ticket of the call.
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

// Slots limit how many calls may work at once, and hold the queue of those that wait. They are safe
// for concurrent use.
type Slots struct {
	most    int
	backlog int // how many may wait

	mu      sync.Mutex
	free    int       // the queue is empty while there is one
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
	return &Slots{most: n, free: n, backlog: backlog}
}

// Load returns how many calls have a slot, and how many wait for one.
func (s *Slots) Load() (working, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most - s.free, s.waiting
}

// A ticket is a place in the queue, and later a slot.
type ticket struct {
	arrival uint64
	called  chan struct{} // closed when the slot is there
	waits   bool          // it has no slot yet; guarded by Slots.mu
}

// arrive returns the number of a new call, in the order of arrival.
func (s *Slots) arrive() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived++
	return s.arrived
}

// enter takes a slot, or a place in the queue; it reports false if there is neither. A call that is
// not ready to work gets no slot before queue.
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

// queue marks a ticket that was not ready as ready.
func (s *Slots) queue(t *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insert(t)
	s.call()
}

// insert puts a ticket in order of arrival, most often at the end. s.mu is held.
func (s *Slots) insert(t *ticket) {
	at := len(s.queued)
	for at > 0 && s.queued[at-1].arrival > t.arrival {
		at--
	}
	s.queued = slices.Insert(s.queued, at, t)
}

// call gives free slots to the first in the queue. s.mu is held.
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

// leave gives up a place, or gives a slot to the first in the queue.
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
