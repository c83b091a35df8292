package catalog

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed is the error of lists of a closed project.
var ErrClosed = errors.New("the project is closed")

// A lifetime counts the running looks at a project, whose callers may not wait for them any more, and
// the lists that are being written.
type lifetime struct {
	mu     sync.Mutex
	closed bool
	looks  sync.WaitGroup
}

// closeTimeout is how long Close waits for looks, which may hang on a disk.
const closeTimeout = time.Second

// Close ends the running looks at the project. They have ended when it returns, unless they are
// stuck; in any case no write of a list begins any more.
func (p *Project) Close() {
	p.lifetime.mu.Lock()
	p.lifetime.closed = true
	p.lifetime.mu.Unlock()
	ended := make(chan struct{})
	go func() { p.lifetime.looks.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(closeTimeout):
	}
}

func (l *lifetime) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// begin counts a look or a write, unless the project is closed.
func (l *lifetime) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.looks.Add(1)
	}
	return !l.closed
}

// await waits for the result of look, or for the end of ctx. The look continues in any case: a
// caller that leaves early must not end it for others that wait for it.
func await[V any](ctx context.Context, l *lifetime, look func() V) (v V, err error) {
	if !l.begin() {
		return v, ErrClosed
	}
	done := make(chan V, 1)
	go func() { defer l.looks.Done(); done <- look() }()
	select {
	case <-ctx.Done():
		return v, context.Cause(ctx)
	case v = <-done:
		return v, nil
	}
}
