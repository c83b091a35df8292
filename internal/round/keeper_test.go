package round_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
)

// slow returns a run that asks, and takes a second to end.
func slow(ctx context.Context, c *round.Conversation) (any, error) {
	c.Ask(ctx, form("a", "A?"))
	<-time.After(time.Second)
	return "", context.Cause(ctx)
}

func waiting(t *testing.T, run func(context.Context, *round.Conversation) (any, error)) *round.Conversation {
	c := round.Start(t.Context(), by(elicits), nil, run)
	c.Wait(t.Context())
	return c
}

func ended(c *round.Conversation) bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

func TestARunIsKeptForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		k := &round.Keeper{For: time.Minute, Max: 2}
		a, b := waiting(t, slow), waiting(t, slow)
		k.Keep("a", a)
		k.Keep("b", b)
		<-time.After(59 * time.Second)
		is.Equal(k.Take("a"), a)
		is.True(k.Take("a") == nil) // it can be taken once
		<-time.After(3 * time.Second)
		is.True(ended(b)) // MR-15
		is.True(k.Take("b") == nil)
		is.True(!ended(a)) // a run can be taken once
		a.End(round.ErrForgotten)
		k.Close()
	})
}

func TestARunThatContinuesElsewhereEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		k := &round.Keeper{For: time.Minute, Max: 2}
		a, b := waiting(t, slow), waiting(t, slow)
		k.Keep("a", a)
		k.Keep("b", b)
		k.Drop("a")
		k.Drop("unknown")
		<-time.After(2 * time.Second)
		is.True(ended(a))
		is.True(k.Take("a") == nil)
		is.Equal(k.Take("b"), b)
		b.End(round.ErrForgotten)
		k.Close()
	})
}

func TestTheRunThatHasWaitedLongestMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		k := &round.Keeper{For: time.Minute, Max: 2}
		a, b, c := waiting(t, slow), waiting(t, slow), waiting(t, slow)
		k.Keep("a", a)
		k.Keep("b", b)
		k.Keep("c", c) // does not wait for the end of a
		is.True(!ended(a))
		is.True(k.Take("a") == nil)
		k.Close()
		is.True(ended(a)) // including runs that were ended before
		is.True(ended(b))
		is.True(ended(c))
	})
}

func TestCloseEndsAllRunsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		k := &round.Keeper{For: time.Minute, Max: 100}
		for range 100 {
			k.Keep("same", waiting(t, slow))
		}
		start := time.Now()
		k.Close()
		is.Equal(time.Since(start), time.Second) // not one after another
		late := waiting(t, slow)
		k.Keep("late", late)
		is.True(ended(late)) // a closed keeper keeps nothing
	})
}

func TestAKeeperThatKeepsNothingEndsRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, k := range []*round.Keeper{{}, {For: time.Minute}, {Max: 1}} {
			is := is.New(t)
			is.True(!k.Keeps())
			c := waiting(t, slow)
			k.Keep("a", c)
			is.True(ended(c))
			is.True(k.Take("a") == nil)
		}
	})
}

func TestARunIsTakenOrEndedButNotBoth(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			k := &round.Keeper{For: time.Second, Max: 1}
			c := waiting(t, asking(form("a", "A?")))
			k.Keep("a", c)
			var taken atomic.Int32
			for range 4 {
				go func() {
					<-time.After(time.Second) // at the moment it expires
					if got := k.Take("a"); got != nil {
						taken.Add(1)
						got.Answer(responses("a", yes))
					}
				}()
			}
			go func() {
				<-time.After(time.Second)
				k.Keep("b", waiting(t, slow)) // and when another run takes its place
			}()
			<-time.After(2 * time.Second)
			got := result(t, c)
			is.True(taken.Load() == 1 && got == yes || taken.Load() == 0 && got == "error: "+round.ErrForgotten.Error())
			k.Close()
		})
	}
}
