package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleTimeout() {
	limit := func(*pipeline.Message) time.Duration { return 10 * time.Millisecond }
	forEver := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Timeout(limit)}, forEver, `{"jsonrpc":"2.0","id":1,"method":"work"}`)
	// Output: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: work timed out after 10ms"}}
}

// after limits every call alike.
func after(d time.Duration) pipeline.Middleware {
	return middleware.Timeout(func(*pipeline.Message) time.Duration { return d })
}

func TestEachCallHasItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		limit := func(m *pipeline.Message) time.Duration {
			return map[string]time.Duration{"1": 2 * time.Second, "2": 4 * time.Second}[m.ID().String()]
		}
		c := pipetest.Start(t, chain(middleware.Timeout(limit)), methods().Serve, pipeline.Options{})
		start := time.Now()
		c.Send(wait(1, 3600), wait(2, 3600), wait(3, 3600), wait(2, 3))
		is.Equal(c.Recv(), refusal(1, -32603, "internal error: wait timed out after 2s"))
		is.Equal(time.Since(start), 2*time.Second)
		is.Equal(c.Recv(), waited(2)) // in time
		is.Equal(c.Recv(), refusal(2, -32603, "internal error: wait timed out after 4s"))
		is.Equal(time.Since(start), 4*time.Second)
		is.Equal(c.Recv(), waited(3)) // without a limit
		is.Equal(time.Since(start), time.Hour)
	})
}

func TestTheHandlerSeesThatItTimedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var cause error
		look := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil, errors.New("interrupted")
		}
		got := pipetest.In(t, after(3*time.Second), look, pipetest.Call(1, "work", ""))
		var timeout *middleware.TimeoutError
		is.True(errors.As(cause, &timeout))
		is.Equal(*timeout, middleware.TimeoutError{Method: "work", Limit: 3 * time.Second})
		is.Equal(got, []string{refusal(1, -32603, "internal error: work timed out after 3s")}) // whatever error it returned
	})
}

func TestTheHandlersOwnAnswerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		late := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			<-ctx.Done()
			<-time.After(time.Second) // it cleans up
			return m.Answer("so far")
		}
		got := pipetest.In(t, after(3*time.Second), late, pipetest.Call(1, "work", ""))
		is.Equal(got, []string{answer(1, `"so far"`)}) // even if it comes late
	})
}

func TestAHandlerThatIgnoresItsContextIsAnsweredFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log bytes.Buffer
		deaf := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			if m.Method() == "ping" {
				return m.Answer(nil)
			}
			<-time.After(time.Hour) // it holds the input, too
			is.Equal(pipeline.From(ctx).Notify(ctx, "notifications/progress", nil), pipeline.ErrAnswered)
			return m.Answer("late")
		}
		stages := chain(middleware.Cancel(pipeline.MCP, nil), after(2*time.Second))
		c := pipetest.Start(t, stages, deaf, pipeline.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		start := time.Now()
		c.Send(wait(1, 3600), ping(2))
		is.Equal(c.Recv(), refusal(1, -32603, "internal error: wait timed out after 2s"))
		is.Equal(time.Since(start), 5*time.Second)
		is.Equal(c.Recv(), pong(2))
		c.Send(ping(1)) // its id is free
		is.Equal(c.Recv(), pong(1))
		<-time.After(2 * time.Hour)
		synctest.Wait()
		is.True(strings.Contains(log.String(), "a call ended after it had been answered"))
		c.Send(ping(3))
		is.Equal(c.Recv(), pong(3)) // nothing else came
	})
}

func TestAnErrorInTimeIsNotATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		fail := func(context.Context, *pipeline.Message) (*pipeline.Message, error) { return nil, errors.New("oh") }
		is.Equal(pipetest.In(t, after(time.Second), fail, pipetest.Call(1, "work", "")), []string{refusal(1, -32603, "oh")})
	})
}

func TestAnotherEndOfTheCallIsNotATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(after(time.Hour)), methods().Serve, pipeline.Options{Drain: time.Second})
		c.Send(wait(1, 3600))
		is.NoErr(c.Close())
		is.Equal(c.Recv(), refusal(1, -32603, "pipeline closed"))
	})
}

func TestWithoutALimitThereIsNoDeadline(t *testing.T) {
	for name, d := range map[string]time.Duration{"zero": 0, "negative": -1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				is.Equal(pipetest.In(t, after(d), methods().Serve, wait(1, 3600)), []string{waited(1)})
			})
		})
	}
}

func TestNotificationsHaveNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		seen := 0
		look := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			<-time.After(time.Hour)
			is.NoErr(ctx.Err())
			seen++
			return nil, nil
		}
		pipetest.In(t, after(time.Second), look, pipetest.Notification("note", ""))
		is.Equal(seen, 1)
	})
}

func TestTheTimerEndsWithTheCall(t *testing.T) {
	for name, h := range map[string]pipeline.Handler{"an answer": pipetest.OK, "a panic": panicking} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				var kept context.Context
				keep := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					kept = ctx
					return h(ctx, m)
				}
				pipetest.In(t, after(time.Second), keep, pipetest.Call(1, "work", ""))
				<-time.After(time.Hour)
				is.Equal(context.Cause(kept), context.Canceled) // not by the timer, which never fired
			})
		})
	}
}

func TestWaitingForAWorkerDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var lines, want []string
		for i := range 5 {
			lines = append(lines, wait(i, 2))
			want = append(want, waited(i))
		}
		got := pipetest.Chain(t, append(workers(1, 10), after(3*time.Second)), methods().Serve, lines...)
		is.Equal(got, want) // the last one waited for 8 seconds, and worked for 2
	})
}

func TestALimitBeginsWhenTheWorkDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		working := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			done, err := pipeline.Work(ctx)
			if err != nil {
				return nil, err
			}
			defer done()
			return waiting(ctx, m)
		}
		slots := middleware.NewSlots(1, 10)
		asks := func(*pipeline.Message) bool { return true }
		got := pipetest.Chain(t, chain(middleware.Workers(slots, nil, asks), after(3*time.Second)), working,
			wait(1, 2), wait(2, 2), wait(3, 4))
		is.Equal(got, []string{waited(1), waited(2), refusal(3, -32603, "internal error: wait timed out after 3s")})
	})
}

func TestATimeoutNamesTheMethod(t *testing.T) {
	is := is.New(t)
	err := &middleware.TimeoutError{Method: "tools/call", Limit: 1500 * time.Millisecond}
	is.Equal(fmt.Sprint(err), "tools/call timed out after 1.5s")
}
