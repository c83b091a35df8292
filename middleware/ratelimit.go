package middleware

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Rates are the numbers of messages that [RateLimit] passes in any minute. Zero means no limit.
type Rates struct {
	Calls    int // incoming calls that Counted counts
	Progress int // notifications about its progress that one call causes
	Logs     int // lines of a log that one call causes
	Unread   int // answers without an id: to lines that are not messages, which nobody waits for

	// Counted reports whether calls of a method count, and the messages that they cause. Nil: all
	// do.
	Counted func(method string) bool
	// Flooded is called when answers without an id begin to be dropped, at most once a minute. It must not send.
	// Nil: nothing is called.
	Flooded func()
	// Report is called once, at the end of a call, with how many notifications of a method were
	// dropped. ctx is the context of the last of them. It may send: what it sends is not limited.
	// Nil: nothing is called.
	Report func(ctx context.Context, method string, dropped int)
}

// RateLimit bounds how many messages come and go. Incoming calls are refused with -32000 when the
// limit is used up: as many have passed in the minute before. The progress and log notifications of one call are
// dropped, counted and reported beyond their limits (P-07). The count of a call ends with the call. Whoever sends
// garbage gets no more answers than the limit; the lines are read as before.
//
// Without it a tool in a tight loop floods its client.
func RateLimit(d pipeline.Dialect, r Rates) pipeline.Middleware {
	calls, unread, floods := limit.PerMinute(r.Calls), limit.PerMinute(r.Unread), limit.PerMinute(1)
	return pipeline.Middleware{
		Name: "ratelimit",
		About: func() string {
			return atMost(r.Calls, "calls a minute") + "; of a call, " + atMost(r.Progress, "progress") + " and " +
				atMost(r.Logs, "logs")
		},
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call || r.Counted != nil && !r.Counted(m.Method()) {
				return next(ctx, m)
			}
			if !calls.Allow() {
				return nil, pipeline.Errorf(mcp.CodeBusy, "Too many calls: at most %d a minute; try again later", r.Calls)
			}
			o := &output{Context: ctx, dialect: &d, progress: count{most: r.Progress}, logs: count{most: r.Logs}}
			answer, err := next(o, m)
			o.report(r.Report)
			return answer, err
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			if m.Kind() == pipeline.Response && m.ID().IsZero() && !unread.Allow() {
				if r.Flooded != nil && floods.Allow() {
					r.Flooded()
				}
				return nil
			}
			if m.Kind() != pipeline.Notification {
				return next(ctx, m)
			}
			if o, _ := ctx.Value(outputKey{}).(*output); o != nil && !o.allow(ctx, m) {
				pipeline.Note(ctx, "too many of", m.Method())
				return nil
			}
			return next(ctx, m)
		},
	}
}

// atMost is a limit in words.
func atMost(most int, of string) string {
	if most <= 0 {
		return "no limit of " + of
	}
	return fmt.Sprintf("at most %d %s", most, of)
}

// output is the context of a call that counts the notifications it causes.
type output struct {
	context.Context
	dialect        *pipeline.Dialect
	progress, logs count
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
	case o.dialect.Progress:
		return o.progress.allow(ctx)
	case o.dialect.Log:
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
		tell(inProgress, o.dialect.Progress, progress)
	}
	if logs > 0 && tell != nil {
		tell(inLogs, o.dialect.Log, logs)
	}
}

// A count is how many messages passed in the last minute, and were dropped.
type count struct {
	most int // in a minute

	mu      sync.Mutex
	limit   *limit.Minute // of most; nil: nothing was counted yet
	dropped int
	last    context.Context // of the last one dropped
	ended   bool            // nothing more is counted
}

func (c *count) allow(ctx context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit == nil {
		c.limit = limit.PerMinute(c.most)
	}
	if c.ended || c.limit.Allow() {
		return true
	}
	c.dropped++
	c.last = ctx
	return false
}

// end lets everything pass from now on. It returns how many messages were dropped before, and the
// context of the last of them.
func (c *count) end() (dropped int, last context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.dropped, c.last
}
