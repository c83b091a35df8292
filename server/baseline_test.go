package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

func TestWhoTellsOfTheServerWaitsForTheBaseline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var b baseline
		start := time.Now()
		b.wait(t.Context())
		is.Equal(time.Since(start), time.Duration(0)) // none is expected
		b.expect()
		time.AfterFunc(time.Second, func() { is.True(!b.take()) }) // nobody was too early
		b.wait(t.Context())
		is.Equal(time.Since(start), time.Second)
		b.wait(t.Context()) // as often as one likes
		is.Equal(time.Since(start), time.Second)
	})
}

func TestABaselineKnowsThatSomebodyDidNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var b baseline
		b.expect()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		b.wait(ctx)
		is.True(b.take()) // so anything may have changed
	})
}
