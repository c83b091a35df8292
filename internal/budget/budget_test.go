package budget_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
)

func TestSharesWaitInOrderUntilThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		b := budget.New(100)
		first := b.Share()
		is.NoErr(first.Reserve(t.Context(), 80))
		var order []int
		shares := make([]*budget.Share, 3)
		for i, n := range []int{50, 10, 60} { // the second would fit, but waits behind the first
			shares[i] = b.Share()
			go func() {
				is.NoErr(shares[i].Reserve(t.Context(), n))
				order = append(order, i)
			}()
			synctest.Wait()
		}
		is.Equal(len(order), 0)
		first.Keep(45)
		synctest.Wait()
		is.Equal(order, []int{0})
		shares[0].Release()
		synctest.Wait()
		is.Equal(order, []int{0, 1})
		first.Release()
		synctest.Wait()
		is.Equal(order, []int{0, 1, 2})
	})
}

func TestAShareLargerThanTheBudgetPassesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		b := budget.New(100)
		small, large, after := b.Share(), b.Share(), b.Share()
		is.NoErr(small.Reserve(t.Context(), 1))
		passed := 0
		go func() { is.NoErr(large.Reserve(t.Context(), 1000)); passed++ }()
		synctest.Wait()
		is.Equal(passed, 0)
		small.Release()
		synctest.Wait()
		is.Equal(passed, 1)
		go func() { is.NoErr(after.Reserve(t.Context(), 1)); passed++ }()
		synctest.Wait()
		is.Equal(passed, 1)
		large.Release()
		synctest.Wait()
		is.Equal(passed, 2)
	})
}

func TestAWaitingShareCanBeCancelledAndThenHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		b, gone := budget.New(100), errors.New("gone")
		first, second := b.Share(), b.Share()
		is.NoErr(first.Reserve(t.Context(), 100))
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		go func() { ended <- second.Reserve(ctx, 60) }()
		synctest.Wait()
		cancel(gone)
		is.Equal(<-ended, gone)
		first.Release()
		second.Release()
		is.NoErr(b.Share().Reserve(t.Context(), 100)) // all is free
	})
}

func TestAShareIsGivenBackWhenItsLastOwnerReleasesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		b := budget.New(100)
		s, next := b.Share(), b.Share()
		is.Equal(s.Own(), s)
		is.NoErr(s.Reserve(t.Context(), 70))
		is.NoErr(s.Reserve(t.Context(), 70)) // it already has a share, and cannot wait for itself
		s.Release()
		passed := false
		go func() { next.Reserve(t.Context(), 50); passed = true }()
		synctest.Wait()
		is.True(!passed)
		s.Release()
		synctest.Wait()
		is.True(passed)
		is.Equal(s.Own(), nil)
		is.NoErr(s.Reserve(t.Context(), 100)) // too late; it holds nothing
		next.Release()
		is.NoErr(b.Share().Reserve(t.Context(), 100))
	})
}

func TestWaitingSharesAreLimitedByTheBudget(t *testing.T) {
	is := is.New(t)
	b := budget.New(100)
	first, ok := b.ShareOf(1 << 40) // half of it, so that others can pass
	is.True(ok)
	second, ok := b.ShareOf(40)
	is.True(ok)
	_, ok = b.ShareOf(11)
	is.True(!ok)
	is.Equal(first.Own(), first)
	first.Release()
	_, ok = b.ShareOf(11)
	is.True(!ok) // it still has another owner
	first.Release()
	_, ok = b.ShareOf(60)
	is.True(ok)
	is.True(b.Share() != nil) // without a share
	second.Release()
	is.NoErr(b.Share().Reserve(t.Context(), 100)) // waiting shares are not held
}

func TestWithoutABudgetNothingWaits(t *testing.T) {
	is := is.New(t)
	s := budget.New(0).Share()
	is.NoErr(s.Reserve(t.Context(), 1<<40))
	s.Keep(1)
	s.Release()
	is.Equal(budget.Of(budget.With(t.Context(), s)), nil)
}
