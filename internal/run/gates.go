package run

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// gates hold back calls of tools that may run only so often at once. The zero
// value is ready.
type gates struct {
	mu    sync.Mutex
	gates map[gate]*semaphore.Weighted
}

// A gate is for one tool and one number: who changes the number in the metadata
// gets a new gate.
type gate struct {
	tool string
	n    int
}

// enter waits until one more call of a tool may run; leave lets the next one in.
// Calls pass in the order in which they came. n of 0 is no limit.
func (g *gates) enter(ctx context.Context, tool string, n int) (leave func(), err error) {
	if n <= 0 {
		return func() {}, nil
	}
	g.mu.Lock()
	if g.gates == nil {
		g.gates = make(map[gate]*semaphore.Weighted)
	}
	s, ok := g.gates[gate{tool, n}]
	if !ok {
		s = semaphore.NewWeighted(int64(n))
		g.gates[gate{tool, n}] = s
	}
	g.mu.Unlock()
	if err := s.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { s.Release(1) }, nil
}
