package middleware

import (
	"context"
	"errors"
	"testing"

	"github.com/matryer/is"
)

// A lazyContext must be as the context of package context that it stands for,
// whenever it is asked.
func TestALazyContextBehavesLikeTheContextItReplaces(t *testing.T) {
	cause := errors.New("cause")
	type key struct{}
	ask := map[string]func(context.Context){
		"nobody": func(context.Context) {},
		"Done":   func(ctx context.Context) { ctx.Done() },
		"Err":    func(ctx context.Context) { ctx.Err() },
		"Cause":  func(ctx context.Context) { context.Cause(ctx) },
		"child":  func(ctx context.Context) { _, cancel := context.WithCancel(ctx); t.Cleanup(cancel) },
	}
	for who, before := range ask {
		for how, end := range map[string]func(lazy func(error), parent context.CancelCauseFunc){
			"cancelled":      func(lazy func(error), _ context.CancelCauseFunc) { lazy(cause) },
			"twice":          func(lazy func(error), _ context.CancelCauseFunc) { lazy(cause); lazy(nil) },
			"answered":       func(lazy func(error), _ context.CancelCauseFunc) { lazy(nil) },
			"parent ends":    func(_ func(error), parent context.CancelCauseFunc) { parent(cause) },
			"parent first":   func(lazy func(error), parent context.CancelCauseFunc) { parent(cause); lazy(nil) },
			"not ended ever": func(func(error), context.CancelCauseFunc) {},
		} {
			t.Run(who+" asks, "+how, func(t *testing.T) {
				is := is.New(t)
				make := func(lazy bool) (ctx context.Context, end2 func()) {
					parent, cancelParent := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
					if lazy {
						c := &lazyContext{parent: parent}
						return c, func() { end(c.cancel, cancelParent) }
					}
					c, cancel := context.WithCancelCause(parent)
					return c, func() { end(cancel, cancelParent) }
				}
				want, endWant := make(false)
				got, endGot := make(true)
				before(want)
				before(got)
				endWant()
				endGot()
				is.Equal(context.Cause(got), context.Cause(want))
				is.Equal(got.Err(), want.Err())
				is.Equal(got.Value(key{}), "value")
				if want.Err() != nil {
					<-got.Done()
				}
				child, cancel := context.WithCancel(got)
				defer cancel()
				is.Equal(child.Err(), want.Err())
				is.Equal(context.Cause(child), context.Cause(want))
			})
		}
	}
}
