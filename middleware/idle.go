package middleware

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Idle ends the pipeline without a fault when no message has come in for the given time and nothing
// is at work: no call, and no work that has outlived its call, as reported by busy; nil: there is
// none. It counts from the first message on, and again when the last work has ended. With a limit
// of 0 it does nothing.
//
// Without it a server that its client has forgotten runs for as long as its stdin is open.
func Idle(limit time.Duration, busy func() bool) pipeline.Middleware {
	if limit <= 0 {
		return pipeline.Middleware{Name: "idle"}
	}
	if busy == nil {
		busy = func() bool { return false }
	}
	i := &idle{limit: limit, busy: busy}
	return pipeline.Middleware{
		Name: "idle",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			i.enter()
			defer i.leave(pipeline.From(ctx))
			return next(ctx, m)
		},
	}
}

// idle counts the messages at work.
type idle struct {
	limit time.Duration
	busy  func() bool

	mu      sync.Mutex
	working int
	since   *time.Timer // runs while none is at work; nil before the first
	busied  bool        // at the last check something was still at work
}

func (i *idle) enter() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.working++
	if i.since != nil {
		i.since.Stop()
	}
}

func (i *idle) leave(p *pipeline.Pipeline) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.working--; i.working > 0 {
		return
	}
	i.busied = false
	var timer *time.Timer
	timer = time.AfterFunc(i.limit, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.working > 0 || i.since != timer { // a message came at the last moment
			return
		}
		before := i.busied
		i.busied = i.busy()
		switch {
		case i.busied: // check again and again, to notice roughly when it ends
			timer.Reset(max(i.limit/16, 1))
		case before:
			timer.Reset(i.limit)
		default:
			p.Stop(pipeline.End(fmt.Sprintf("idle for %v", i.limit)))
		}
	})
	i.since = timer
}
