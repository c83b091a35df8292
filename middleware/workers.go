package middleware

import (
	"container/list"
	"context"
	"sync"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// Workers lets at most n slow calls run at once. Others wait in the order in
// which they came; when backlog of them wait already, one more is refused with
// -32000. A slow call yields, so what comes behind it is served meanwhile, and
// calls that are not slow never wait. Both numbers must be positive.
//
// It is the border between "in order" and "in parallel": without it every call
// holds up the ones behind it.
func Workers(n, backlog int, slow func(*pipeline.Message) bool) pipeline.Middleware {
	if n < 1 || backlog < 1 {
		panic("middleware.Workers: n and backlog must be positive")
	}
	q := &queue{free: n, backlog: backlog, open: make(chan struct{})}
	close(q.open)
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
				return nil, context.Cause(ctx)
			}
			return next(ctx, m)
		},
	}
}

// A queue hands out a number of slots in the order of arrival.
type queue struct {
	mu      sync.Mutex
	free    int
	backlog int
	waiting list.List     // of *ticket
	open    chan struct{} // closed: what is called for who need not wait
}

// A ticket is a place in the queue, and then a slot.
type ticket struct {
	called chan struct{} // closed when the slot is there
	place  *list.Element // nil when the slot is there; guarded by the queue
}

func (q *queue) enter() (*ticket, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free > 0 {
		q.free--
		return &ticket{called: q.open}, true
	}
	if q.waiting.Len() >= q.backlog {
		return nil, false
	}
	t := &ticket{called: make(chan struct{})}
	t.place = q.waiting.PushBack(t)
	return t, true
}

// leave gives the slot to the next in line, or the place in line up.
func (q *queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.place != nil {
		q.waiting.Remove(t.place)
		return
	}
	first := q.waiting.Front()
	if first == nil {
		q.free++
		return
	}
	q.waiting.Remove(first)
	next := first.Value.(*ticket)
	next.place = nil
	close(next.called)
}
