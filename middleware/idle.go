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
		Name:  "idle",
		About: func() string { return fmt.Sprint("ends after ", limit) },
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			i.enter(pipeline.From(ctx))
			defer i.leave()
			return next(ctx, m)
		},
	}
}

// idle counts the messages at work.
type idle struct {
	limit time.Duration
	busy  func() bool

	mu      sync.Mutex
	begun   bool // a message has come
	working int
	since   time.Time // when the last one ended
	busied  bool      // at the last check something was still at work
}

func (i *idle) enter(p *pipeline.Pipeline) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.working++
	if !i.begun {
		i.begun = true
		go i.watch(p)
	}
}

func (i *idle) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.working--
	i.since, i.busied = time.Now(), false
}

// watch stops a pipeline that is idle. It ends with the input, as nothing may be kept of a session that has ended.
func (i *idle) watch(p *pipeline.Pipeline) {
	for left := i.limit; left > 0; left = i.left() {
		select {
		case <-time.After(left):
		case <-p.Ending():
			return
		}
	}
	p.Stop(pipeline.End(fmt.Sprintf("idle for %v", i.limit)))
}

// left returns the time after which to look again, 0 if the limit is reached.
func (i *idle) left() time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.working > 0 {
		return i.limit
	}
	if left := i.limit - time.Since(i.since); left > 0 {
		return left
	}
	before := i.busied
	i.busied = i.busy()
	switch {
	case i.busied: // check again and again, to notice roughly when it ends
		return max(i.limit/16, 1)
	case before:
		i.since = time.Now()
		return i.limit
	}
	return 0
}
