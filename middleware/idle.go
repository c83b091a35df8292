package middleware

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Idle ends the pipeline without a fault when nothing has come in for so long and
// no call is at work. It counts from the first message on. With a limit of 0 it
// does nothing.
//
// Without it a server whose client forgot it stays for as long as its stdin is
// open.
func Idle(limit time.Duration) pipeline.Middleware {
	if limit <= 0 {
		return pipeline.Middleware{Name: "idle"}
	}
	i := &idle{limit: limit}
	return pipeline.Middleware{
		Name: "idle",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			i.enter()
			defer i.leave(pipeline.From(ctx))
			return next(ctx, m)
		},
	}
}

// idle knows how many messages are at work.
type idle struct {
	limit time.Duration

	mu      sync.Mutex
	working int
	since   *time.Timer // runs while none is at work; nil before the first
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
	var timer *time.Timer
	timer = time.AfterFunc(i.limit, func() {
		i.mu.Lock()
		over := i.working == 0 && i.since == timer // else a message came at the last moment
		i.mu.Unlock()
		if over {
			p.Stop(nil)
		}
	})
	i.since = timer
}
