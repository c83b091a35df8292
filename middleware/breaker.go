package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Trip configures when [Breaker] ends the pipeline.
type Trip struct {
	Threshold int           // of corrupt messages; zero: 3
	Window    time.Duration // in which they count; zero: 60 s
	Never     bool          // only log them
}

// ErrTripped is the error of a pipeline that the breaker has ended.
var ErrTripped = errors.New("too many corrupt messages")

// Breaker logs each message that [OutputGuard], which is further out, could not send as it was, and
// ends the pipeline with [ErrTripped] when too many were corrupt within a window of time: a server
// that keeps producing garbage is broken, and its client should see it end rather than wait for
// answers. A message that was too large is logged but does not count: the server works, and its
// client got both sizes.
//
// Without it such a server keeps running.
func Breaker(t Trip, log *slog.Logger) pipeline.Middleware {
	if t.Threshold <= 0 {
		t.Threshold = 3
	}
	if t.Window <= 0 {
		t.Window = time.Minute
	}
	log = cmp.Or(log, slog.Default())
	var seen corruptions // guarded by the wire
	return pipeline.Middleware{
		Name: "breaker",
		About: func() string {
			if t.Never {
				return "only logs"
			}
			return fmt.Sprintf("%d corrupt messages in %v end the server", t.Threshold, t.Window)
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			err := next(ctx, m)
			if err == nil {
				return nil
			}
			if _, tooLarge := errors.AsType[*SizeError](err); tooLarge {
				log.Warn("output too large", "error", err)
			}
			if !errors.Is(err, ErrCorrupt) {
				return err
			}
			n := seen.add(time.Now(), t)
			log.Error("corrupt output", "error", err, "count", n, "window", t.Window)
			if n >= t.Threshold && !t.Never {
				return pipeline.Fatal(fmt.Errorf("%w: %d within %v", ErrTripped, n, t.Window))
			}
			return err
		},
	}
}

// corruptions are the times of the last corrupt messages, oldest first.
type corruptions []time.Time

// add records a corrupt message and returns how many there are in the window, at most the
// threshold.
func (c *corruptions) add(now time.Time, t Trip) int {
	times := append(*c, now)
	for len(times) > t.Threshold || now.Sub(times[0]) >= t.Window {
		times = times[1:]
	}
	*c = times
	return len(times)
}
