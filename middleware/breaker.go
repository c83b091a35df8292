package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/pipeline"
)

// Trip says when [Breaker] ends the process.
type Trip struct {
	Threshold int           // so many corrupt messages; zero: 3
	Window    time.Duration // within this time; zero: 60 s
	Never     bool          // only log them
}

// ErrTripped is why the breaker ended the pipeline.
var ErrTripped = errors.New("the output was corrupt again and again")

// Breaker counts the messages that [OutputGuard], further out, could not send
// as they were, and ends the pipeline with [ErrTripped] when there are too many
// in a window of time: a server that keeps producing garbage is broken, and its
// client should see it end rather than wait for answers.
//
// Without it such a server goes on.
func Breaker(t Trip, log *slog.Logger) pipeline.Middleware {
	if t.Threshold == 0 {
		t.Threshold = 3
	}
	if t.Window == 0 {
		t.Window = time.Minute
	}
	b := &breaker{trip: t}
	return pipeline.Middleware{
		Name: "breaker",
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			err := next(ctx, m)
			if !errors.Is(err, ErrCorrupt) {
				return err
			}
			n := b.count(time.Now())
			log.Error("corrupt output", "error", err, "count", n, "window", t.Window)
			if n >= t.Threshold && !t.Never {
				return pipeline.Fatal(fmt.Errorf("%w: %d times within %v", ErrTripped, n, t.Window))
			}
			return err
		},
	}
}

type breaker struct {
	trip Trip

	mu   sync.Mutex
	seen []time.Time // within the window, oldest first
}

// count notes a corrupt message and returns how many there are in the window.
func (b *breaker) count(now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.seen) > 0 && now.Sub(b.seen[0]) >= b.trip.Window {
		b.seen = b.seen[1:]
	}
	b.seen = append(b.seen, now)
	return len(b.seen)
}
