package watch_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
)

func TestAResourceIsPolledOnlyWhileItsChangesAreNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var looks, asked, released, told atomic.Int32
		var reported atomic.Bool
		reported.Store(true)
		text := "a"
		w := watch.New(watch.Options{
			Digest: func(context.Context, string) (string, error) { looks.Add(1); return text, nil },
			Gone:   func(error) bool { return false },
			Changes: func(string) watch.Changes {
				asked.Add(1)
				return watch.Changes{Reported: reported.Load, Release: func() { released.Add(1) }}
			},
			Interval: 2 * time.Second,
			Log:      slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { w.Run(ctx); close(ended) }()
		release, err := w.Watch(ctx, "file:///a", func(bool) { told.Add(1) })
		is.NoErr(err)
		<-time.After(time.Hour)
		is.Equal(looks.Load(), int32(1)) // nothing was reported
		text = "b"
		w.Changed()
		synctest.Wait()
		is.Equal(told.Load(), int32(1))
		reported.Store(false)
		w.Changed()
		<-time.After(time.Minute)
		is.True(looks.Load() > 20) // it is polled from then on
		release()
		cancel()
		<-ended
		is.True(asked.Load() >= looks.Load())   // each look has its own; the last may have been cancelled before it read
		is.Equal(released.Load(), asked.Load()) // all have ended
	})
}

func TestAPanicOfWhoIsToldEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var told atomic.Int32
		text := "a"
		w := watch.New(watch.Options{
			Digest: func(context.Context, string) (string, error) { return text, nil },
			Gone:   func(error) bool { return false },
			Log:    slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { w.Run(ctx); close(ended) }()
		_, err := w.Watch(ctx, "x:", func(bool) { panic("of one") })
		is.NoErr(err)
		_, err = w.Watch(ctx, "x:", func(bool) { told.Add(1) })
		is.NoErr(err)
		text = "b"
		w.Look()
		synctest.Wait()
		is.Equal(told.Load(), int32(1))
		cancel()
		<-ended
	})
}
