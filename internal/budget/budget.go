// Package budget bounds the memory that calls need at the same time.
package budget

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// A Budget limits how many bytes calls may hold together. Calls that need more wait, in the
// order in which they ask. A nil Budget has no limit. It is safe for concurrent use.
type Budget struct {
	size  int64
	bytes *semaphore.Weighted

	mu   sync.Mutex
	held int64 // input bytes of all shares
}

// New returns a budget of the given number of bytes, nil for 0 or less.
func New(bytes int) *Budget {
	if bytes <= 0 {
		return nil
	}
	return &Budget{size: int64(bytes), bytes: semaphore.NewWeighted(int64(bytes))}
}

// A Share is what one call holds of a budget. A nil Share has no limit. It is safe for
// concurrent use.
type Share struct {
	budget *Budget
	// Waits is called when the share begins to wait; the function that it returns is called
	// when the wait is over. It must be set before the share is used; it may be nil.
	Waits func() (over func())

	mu       sync.Mutex
	reserved bool
	held     int64
	input    int64
	owners   int
}

// Share returns a share that holds nothing yet. Release gives back what it holds.
func (b *Budget) Share() *Share {
	s, _ := b.ShareOf(0)
	return s
}

// With returns a context that carries a share which holds nothing yet, and a func that releases it.
func (b *Budget) With(ctx context.Context) (_ context.Context, release func()) {
	s := b.Share()
	return With(ctx, s), s.Release
}

// ShareOf is Share for a call whose input of n bytes is already in memory while it waits. It
// reports false if the inputs of all calls would exceed the budget. A single input counts as
// at most half the budget, so that it always passes and leaves room for others.
func (b *Budget) ShareOf(n int) (*Share, bool) {
	if b == nil {
		return nil, true
	}
	input := min(int64(n), b.size/2)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held+input > b.size {
		return nil, false
	}
	b.held += input
	return &Share{budget: b, owners: 1, input: input}, true
}

// Own adds an owner to the share, who must release it too. It returns nil for a share
// that was released.
func (s *Share) Own() *Share {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners <= 0 {
		return nil
	}
	s.owners++
	return s
}

// Reserve waits until n bytes are free. The error is the cause of ctx; nothing is held
// then. A call that needs more than the whole budget gets all of it.
//
// A share reserves once: while it waits it holds nothing, so shares cannot wait for
// each other. Later calls of Reserve return at once.
func (s *Share) Reserve(ctx context.Context, n int) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	if s.reserved || s.owners <= 0 {
		s.mu.Unlock()
		return nil
	}
	s.reserved = true
	s.mu.Unlock()
	want := min(max(int64(n), 0), s.budget.size)
	if s.acquire(ctx, want) != nil {
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = want
	if s.owners <= 0 { // released meanwhile
		s.giveBack(0)
	}
	return nil
}

func (s *Share) acquire(ctx context.Context, n int64) error {
	if s.Waits != nil && ctx.Err() == nil {
		if s.budget.bytes.TryAcquire(n) {
			return nil
		}
		defer s.Waits()()
	}
	return s.budget.bytes.Acquire(ctx, n)
}

// Keep gives back what is held beyond n bytes.
func (s *Share) Keep(n int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(int64(n))
}

// Release ends the use of the share by one owner. The last Release gives back what is held.
func (s *Share) Release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners--; s.owners == 0 {
		s.giveBack(0)
		s.budget.mu.Lock()
		defer s.budget.mu.Unlock()
		s.budget.held -= s.input
	}
}

// giveBack gives back what is held beyond keep. s.mu is held.
func (s *Share) giveBack(keep int64) {
	if more := s.held - max(keep, 0); more > 0 {
		s.held -= more
		s.budget.bytes.Release(more)
	}
}

type shareKey struct{}

// With returns a context that carries s.
func With(ctx context.Context, s *Share) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, shareKey{}, s)
}

// Of returns the share that ctx carries, nil for none.
func Of(ctx context.Context) *Share {
	s, _ := ctx.Value(shareKey{}).(*Share)
	return s
}
