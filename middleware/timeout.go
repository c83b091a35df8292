package middleware

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Timeout bounds how long a call may take. limit returns the limit of each call; zero means no limit.
// When the time is over, the context of the call ends with a [*TimeoutError], and a handler that
// returns an error for it is answered with an internal error that names the limit.
//
// An answer is passed on even if it is late, for three seconds, as a script may take two to end. Then a handler
// that does not watch its context is answered for: it keeps running, but nothing that it sends or returns
// leaves any more. Time that a call waits for its turn to work does not count: neither further out, as in
// [Workers], nor in [pipeline.Work], after which the limit starts again.
//
// Without it a call may take for ever.
func Timeout(limit func(*pipeline.Message) time.Duration) pipeline.Middleware {
	return pipeline.Middleware{
		Name: "timeout",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call {
				return next(ctx, m)
			}
			d := limit(m)
			if d <= 0 {
				return next(ctx, m)
			}
			cause := &TimeoutError{Method: m.Method(), Limit: d}
			worker := pipeline.WorkerOf(ctx)
			ctx, cancel := pipeline.WithCancel(ctx)
			defer cancel(nil)
			over := make(chan struct{})
			defer close(over)
			late := fmt.Errorf("%w: %w", pipeline.ErrInternal, cause)
			timer := time.AfterFunc(d, func() {
				cancel(cause)
				select {
				case <-time.After(patienceWithHandlers):
					pipeline.Note(ctx, "does not end", "answered for it")
					pipeline.Reply(ctx, m.Refuse(late))
					pipeline.Yield(ctx)
				case <-over:
				}
			})
			defer timer.Stop()
			untimed := func(ctx context.Context, wait func(context.Context) error) (func(), error) {
				if timer.Stop() {
					defer timer.Reset(d)
				}
				return worker(ctx, wait)
			}
			answer, err := next(pipeline.WithWorker(ctx, untimed), m)
			if err != nil && context.Cause(ctx) == cause {
				return nil, late
			}
			return answer, err
		},
	}
}

// patienceWithHandlers is how long the handler of a call may take to end when its time is over.
const patienceWithHandlers = 3 * time.Second

// A TimeoutError is why the context of a call ended.
type TimeoutError struct {
	Method string
	Limit  time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s timed out after %v", e.Method, e.Limit)
}
