package middleware

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// Rates are what [RateLimit] lets through in a minute. Zero is no limit.
type Rates struct {
	Calls    int // incoming calls, ping and initialize aside
	Progress int // notifications/progress that one call causes
	Logs     int // notifications/message that one call causes

	// Report is told once, at the end of a call, how many notifications of a
	// method were dropped. It may send. Nil: nobody is told.
	Report func(ctx context.Context, method string, dropped int)
}

// RateLimit bounds how many messages come and go. Calls that come in are
// refused with -32000 when the minute's worth of them is used up; it refills
// evenly. The progress and log notifications that one call causes are dropped,
// counted and reported beyond so many in any sliding minute (P-07). The count
// of a call ends with the call.
//
// Without it a tool in a tight loop floods its client.
func RateLimit(r Rates) pipeline.Middleware {
	calls := rate.NewLimiter(rate.Inf, 0)
	if r.Calls > 0 {
		calls = rate.NewLimiter(rate.Every(time.Minute/time.Duration(r.Calls)), r.Calls)
	}
	return pipeline.Middleware{
		Name: "ratelimit",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call || m.Method() == "ping" || m.Method() == "initialize" {
				return next(ctx, m)
			}
			if !calls.Allow() {
				return nil, pipeline.Errorf(mcp.CodeBusy, "Too many calls: at most %d a minute; try again later", r.Calls)
			}
			o := &output{progress: window{limit: r.Progress}, logs: window{limit: r.Logs}}
			ctx = context.WithValue(ctx, outputKey{}, o)
			answer, err := next(ctx, m)
			o.report(ctx, r.Report)
			return answer, err
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			if o, _ := ctx.Value(outputKey{}).(*output); o != nil && !o.allow(m) {
				return nil
			}
			return next(ctx, m)
		},
	}
}

// output counts the notifications that one call causes.
type output struct{ progress, logs window }

type outputKey struct{}

func (o *output) allow(m *pipeline.Message) bool {
	if m.Kind() != pipeline.Notification {
		return true
	}
	switch m.Method() {
	case "notifications/progress":
		return o.progress.allow(time.Now())
	case "notifications/message":
		return o.logs.allow(time.Now())
	}
	return true
}

func (o *output) report(ctx context.Context, tell func(context.Context, string, int)) {
	progress, logs := o.progress.end(), o.logs.end()
	if tell == nil {
		return
	}
	if progress > 0 {
		tell(ctx, "notifications/progress", progress)
	}
	if logs > 0 {
		tell(ctx, "notifications/message", logs)
	}
}

// A window counts what passed in the last minute.
type window struct {
	limit int // 0: none

	mu      sync.Mutex
	passed  []time.Time // at most limit, oldest first
	dropped int
	ended   bool // nothing is counted any more
}

func (w *window) allow(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit == 0 || w.ended {
		return true
	}
	old := 0
	for old < len(w.passed) && now.Sub(w.passed[old]) >= time.Minute {
		old++
	}
	w.passed = w.passed[old:]
	if len(w.passed) >= w.limit {
		w.dropped++
		return false
	}
	w.passed = append(w.passed, now)
	return true
}

// end lets everything pass from now on and returns how many did not before.
func (w *window) end() (dropped int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	return w.dropped
}
