package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
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

func TestChangesAreKeptUntilTheSessionIsConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		ctx, cancel := context.WithCancel(t.Context())
		confirmed, news, told := make(chan struct{}), make(chan project.Kinds), ""
		go whenConfirmed(ctx, confirmed, news, func(k project.Kinds) { told += k.String() + ";" })
		news <- project.Prompts
		news <- project.Tools
		synctest.Wait()
		is.Equal(told, "")
		close(confirmed)
		synctest.Wait()
		is.Equal(told, (project.Tools|project.Prompts).String()+";") // at once
		news <- project.Resources
		synctest.Wait()
		is.Equal(told, (project.Tools|project.Prompts).String()+";resources;") // and from then on as they come
		cancel()
	})
}
