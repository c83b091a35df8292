package middleware

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Rates are the numbers of messages that [RateLimit] passes in a minute. Zero is no limit.
type Rates struct {
	Calls    int // incoming calls that Counted counts
	Progress int // notifications/progress that one call causes
	Logs     int // notifications/message that one call causes

	// Counted reports whether calls of a method count, and the messages that they cause. Nil: all
	// do.
	Counted func(method string) bool
	// Report is called once, at the end of a call, with how many notifications of a method were
	// dropped. ctx is the context of the last of them. It may send: what it sends is not limited.
	// Nil: nothing is called.
	Report func(ctx context.Context, method string, dropped int)
}

// RateLimit bounds how many messages come and go. Incoming calls are refused with -32000 when the
// limit of the minute is used up; it refills evenly. The progress and log notifications of one call
// are dropped, counted and reported beyond their limits in any sliding minute (P-07). The count of
// a call ends with the call.
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
			if m.Kind() != pipeline.Call || r.Counted != nil && !r.Counted(m.Method()) {
				return next(ctx, m)
			}
			if !calls.Allow() {
				return nil, pipeline.Errorf(mcp.CodeBusy, "Too many calls: at most %d a minute; try again later", r.Calls)
			}
			o := &output{Context: ctx, progress: window{limit: r.Progress}, logs: window{limit: r.Logs}}
			answer, err := next(o, m)
			o.report(r.Report)
			return answer, err
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			if m.Kind() != pipeline.Notification {
				return next(ctx, m)
			}
			if o, _ := ctx.Value(outputKey{}).(*output); o != nil && !o.allow(ctx, m) {
				return nil
			}
			return next(ctx, m)
		},
	}
}

// output is the context of a call that counts the notifications it causes.
type output struct {
	context.Context
	progress, logs window
}

type outputKey struct{}

func (o *output) Value(key any) any {
	if key == (outputKey{}) {
		return o
	}
	return o.Context.Value(key)
}

func (o *output) allow(ctx context.Context, m *pipeline.Message) bool {
	switch m.Method() {
	case "notifications/progress":
		return o.progress.allow(ctx)
	case "notifications/message":
		return o.logs.allow(ctx)
	}
	return true
}

// report ends the count, then reports what was dropped. It does so in a context from inside the
// call, so that a stage there that drops what the call causes, such as Cancel, drops the report
// too.
func (o *output) report(tell func(ctx context.Context, method string, dropped int)) {
	progress, inProgress := o.progress.end()
	logs, inLogs := o.logs.end()
	if progress > 0 && tell != nil {
		tell(inProgress, "notifications/progress", progress)
	}
	if logs > 0 && tell != nil {
		tell(inLogs, "notifications/message", logs)
	}
}

// A window counts the messages that passed in the last minute.
type window struct {
	limit int // zero: no limit

	mu      sync.Mutex
	passed  []time.Time // at most limit, oldest first
	dropped int
	last    context.Context // of the last one dropped
	ended   bool            // nothing more is counted
}

func (w *window) allow(ctx context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit <= 0 || w.ended {
		return true
	}
	now := time.Now()
	for len(w.passed) > 0 && now.Sub(w.passed[0]) >= time.Minute {
		w.passed = w.passed[1:]
	}
	if len(w.passed) >= w.limit {
		w.dropped++
		w.last = ctx
		return false
	}
	w.passed = append(w.passed, now)
	return true
}

// end lets everything pass from now on. It returns how many messages were dropped before, and the
// context of the last of them.
func (w *window) end() (dropped int, last context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	return w.dropped, w.last
}
