package middleware

import (
	"container/list"
	"context"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Workers lets at most n slow calls run at once. Others wait in the order in
// which they came; when backlog of them wait already, one more is refused with
// -32000. A slow call yields, so what comes behind it is served meanwhile, and
// calls that are not slow never wait. A call whose context ends while it waits
// leaves the line with the cause. Both numbers must be positive.
//
// It is the border between "in order" and "in parallel": without it every call
// holds up the ones behind it.
func Workers(n, backlog int, slow func(*pipeline.Message) bool) pipeline.Middleware {
	if n < 1 || backlog < 1 {
		panic("middleware.Workers: n and backlog must be positive")
	}
	q := &queue{free: n, backlog: backlog}
	return pipeline.Middleware{
		Name: "workers",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call || !slow(m) {
				return next(ctx, m)
			}
			ticket, ok := q.enter()
			if !ok {
				return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: %d calls are waiting; try again later", backlog)
			}
			defer q.leave(ticket)
			pipeline.Yield(ctx)
			select {
			case <-ticket.called:
			case <-ctx.Done():
			}
			if ctx.Err() != nil { // perhaps just when its slot was there
				return nil, context.Cause(ctx)
			}
			return next(ctx, m)
		},
	}
}

// A queue hands out a number of slots in the order of arrival.
type queue struct {
	mu      sync.Mutex
	free    int       // slots that nobody has; none while someone waits
	waiting list.List // of *ticket, the first to be called first
	backlog int       // how many may wait
}

// A ticket is a place in the queue, and then a slot.
type ticket struct {
	called chan struct{} // closed when the slot is there
	place  *list.Element // nil when the slot is there; guarded by queue.mu
}

// enter takes a slot, or a place in the queue; it reports false when both are
// gone.
func (q *queue) enter() (*ticket, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &ticket{called: make(chan struct{})}
	switch {
	case q.free > 0:
		q.free--
		close(t.called)
	case q.waiting.Len() < q.backlog:
		t.place = q.waiting.PushBack(t)
	default:
		return nil, false
	}
	return t, true
}

// leave gives a place up, or a slot to the first who waits.
func (q *queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := q.waiting.Front()
	switch {
	case t.place != nil:
		q.waiting.Remove(t.place)
	case first == nil:
		q.free++
	default:
		next := q.waiting.Remove(first).(*ticket)
		next.place = nil
		close(next.called)
	}
}
