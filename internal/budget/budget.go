// Package budget bounds the memory that calls need at the same time.
package budget

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// A Budget is how many bytes calls may hold together. Those that need more wait, in the
// order in which they ask. A nil Budget is without bound. It is safe for concurrent use.
type Budget struct {
	size  int64
	bytes *semaphore.Weighted

	mu   sync.Mutex
	held int64 // bytes that shares have brought along
}

// New returns a budget of so many bytes, nil for 0 or less.
func New(bytes int) *Budget {
	if bytes <= 0 {
		return nil
	}
	return &Budget{size: int64(bytes), bytes: semaphore.NewWeighted(int64(bytes))}
}

// A Share is what one call holds of a budget. A nil Share is without bound. It is safe
// for concurrent use.
type Share struct {
	budget *Budget
	// Waits is called when the share begins to wait, and what it returns when that is over.
	// Set before the share is used; nil for nobody.
	Waits func() (over func())

	mu     sync.Mutex
	asked  bool
	held   int64
	input  int64
	owners int
}

// Share returns a share that holds nothing yet. What it holds is given back by Release.
func (b *Budget) Share() *Share {
	s, _ := b.ShareOf(0)
	return s
}

// ShareOf is Share for a call that is n bytes long, which are there already while it waits.
// It reports false where such calls would be longer together than the budget. One alone
// counts as half of it at most, so that it always passes, and leaves room for others.
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

// Own makes one more owner of a share, who releases it too; it returns nil for a share
// that was given back.
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
// then. Who needs more than the whole budget has it alone.
//
// A share asks once: while it waits it holds nothing, so shares cannot wait for each
// other. Later calls return at once.
func (s *Share) Reserve(ctx context.Context, n int) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	if s.asked || s.owners <= 0 {
		s.mu.Unlock()
		return nil
	}
	s.asked = true
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

// Release says that an owner needs the share no more. With the last one it is given back.
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

// With returns a context whose work is on s.
func With(ctx context.Context, s *Share) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, shareKey{}, s)
}

// Of returns the share that the work of ctx is on, nil for none.
func Of(ctx context.Context) *Share {
	s, _ := ctx.Value(shareKey{}).(*Share)
	return s
}
