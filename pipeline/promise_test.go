package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// promised is a call that is answered by settling a promise.
type promised struct {
	*pipeline.Promise
	ctx context.Context
	m   *pipeline.Message
}

func (p promised) keep() {
	answer, err := p.m.Answer("kept")
	p.Settle(answer, err)
}

func kept(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"kept"}`, id) }

// promises returns a handler that awaits a promise for each call but pings, and what it awaits.
func promises() (pipeline.Handler, chan promised) {
	made := make(chan promised, 10)
	return func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Method() == "ping" {
			return m.Answer(nil)
		}
		p := promised{pipeline.NewPromise(ctx), ctx, m}
		made <- p
		return p.Await(ctx)
	}, made
}

func TestOthersAreServedWhileAMessageAwaitsAPromise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		handler, made := promises()
		c := pipetest.Start(t, []pipeline.Middleware{split}, handler, pipeline.Options{})
		c.Call(1, "wait", "")
		c.Send(`[{"jsonrpc":"2.0","id":3,"method":"wait"},{"jsonrpc":"2.0","id":4,"method":"wait"}]`)
		c.Call(2, "ping", "")
		is.Equal(c.Recv(), pong2)
		first, third, fourth := <-made, <-made, <-made
		fourth.keep()
		third.keep()
		first.keep()
		is.Equal([]string{c.Recv(), c.Recv(), c.Recv()}, []string{kept(4), kept(3), kept(1)})
	})
}

func TestWhoSettlesAPromiseGoesOnWhenItsMessageIsAnswered(t *testing.T) {
	for name, await := range map[string]func(p promised) (*pipeline.Message, error){
		"one that is awaited":      func(p promised) (*pipeline.Message, error) { return p.Await(p.ctx) },
		"one that is awaited late": func(p promised) (*pipeline.Message, error) { <-time.After(time.Minute); return p.Await(p.ctx) },
		"one that never is":        func(p promised) (*pipeline.Message, error) { <-time.After(time.Minute); return p.m.Answer("kept") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				made := make(chan promised, 1)
				c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					p := promised{pipeline.NewPromise(ctx), ctx, m}
					made <- p
					return await(p)
				}, pipeline.Options{})
				c.Call(1, "wait", "")
				p := <-made
				synctest.Wait()
				p.keep()
				p.keep() // only the first counts
				is.NoErr(pipeline.From(p.ctx).Notify(context.Background(), "after", nil))
				is.Equal([]string{c.Recv(), c.Recv()}, []string{kept(1), `{"jsonrpc":"2.0","method":"after"}`})
			})
		})
	}
}

func TestAPromiseMayBeAwaitedAgainAfterTheContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		made := make(chan promised, 1)
		c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			p := promised{pipeline.NewPromise(ctx), ctx, m}
			made <- p
			for range 2 {
				short, cancel := context.WithTimeoutCause(ctx, time.Second, errors.New("enough"))
				_, err := p.Await(short)
				cancel()
				is.Equal(err.Error(), "enough")
			}
			return p.Await(context.WithoutCancel(ctx))
		}, pipeline.Options{})
		c.Call(1, "wait", "")
		<-time.After(time.Minute)
		(<-made).keep()
		is.Equal(c.Recv(), kept(1))
	})
}

// TestAnEndedContextWakesWhoAwaitsAPromise ends contexts inside and outside of one of WithCancel.
func TestAnEndedContextWakesWhoAwaitsAPromise(t *testing.T) {
	enough := errors.New("enough")
	soon := func(end context.CancelCauseFunc) { time.AfterFunc(time.Second, func() { end(enough) }) }
	own := func(ctx context.Context) context.Context {
		ctx, cancel := pipeline.WithCancel(ctx)
		soon(cancel)
		return ctx
	}
	other := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancelCause(ctx)
		soon(cancel)
		return ctx
	}
	unused := func(ctx context.Context) context.Context {
		ctx, _ = pipeline.WithCancel(ctx)
		return ctx
	}
	ofRun := func(ctx context.Context) context.Context {
		soon(pipeline.From(ctx).Stop)
		return ctx
	}
	crowded := func(ctx context.Context) context.Context { // which of those inside ends first, is left to chance
		for range 20_000 {
			_, cancel := context.WithCancel(ctx)
			t.Cleanup(cancel)
		}
		return ctx
	}
	for name, derive := range map[string][]func(context.Context) context.Context{
		"its own":                    {own},
		"its own, again":             {unused, own},
		"its own, and one inside":    {own, unused},
		"another":                    {other},
		"another inside":             {unused, other},
		"another outside":            {other, unused},
		"that of the pipeline":       {ofRun},
		"of the pipeline outside":    {ofRun, unused},
		"of it, before those inside": {ofRun, crowded, unused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				woken := make(chan time.Time, 1)
				c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					for _, d := range derive {
						ctx = d(ctx)
					}
					_, err := pipeline.NewPromise(ctx).Await(ctx)
					woken <- time.Now()
					return nil, err
				}, pipeline.Options{})
				began := time.Now()
				c.Call(1, "wait", "")
				is.Equal((<-woken).Sub(began), time.Second)
			})
		})
	}
}

// TestAStageMayCallNextInGoroutines lets one message await two promises at once, and then none of them.
func TestAStageMayCallNextInGoroutines(t *testing.T) {
	for _, waits := range []bool{true, false} {
		t.Run(fmt.Sprintf("and wait for them: %v", waits), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				var both sync.WaitGroup
				stage := pipeline.Middleware{Name: "both", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
					if m.Method() == "ping" {
						return next(ctx, m)
					}
					for range 2 {
						both.Go(func() { next(ctx, m) })
					}
					if pipeline.Yield(ctx); waits {
						both.Wait()
					}
					return m.Answer("kept")
				}}
				handler, made := promises()
				c := pipetest.Start(t, []pipeline.Middleware{stage}, handler, pipeline.Options{})
				c.Call(1, "wait", "")
				first, second := <-made, <-made
				c.Call(2, "ping", "")
				got := []string{c.Recv()}
				if !waits {
					got = append(got, c.Recv())
				}
				second.keep()
				first.keep()
				if both.Wait(); waits {
					got = append(got, c.Recv())
				}
				slices.Sort(got)
				is.Equal(got, []string{kept(1), pong2})
			})
		})
	}
}

func TestAPromiseOfNoMessageIsAwaitedInItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		p := pipeline.NewPromise(t.Context())
		time.AfterFunc(time.Minute, func() { p.Settle(nil, errors.New("no")) })
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := p.Await(short)
		is.Equal(err, context.DeadlineExceeded)
		_, err = p.Await(t.Context())
		is.Equal(err.Error(), "no")
	})
}
