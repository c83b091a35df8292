package middleware_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleCancel() {
	log := slog.New(slog.DiscardHandler)
	forEver := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Yield(ctx)
		<-ctx.Done()
		fmt.Println(context.Cause(ctx))
		return m.Answer("too late")
	}
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Cancel(pipeline.MCP, log)}, forEver,
		`{"jsonrpc":"2.0","id":1,"method":"work"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	// Output: cancelled by the client
}

// cancelled is the line that cancels a call.
func cancelled(id any) string {
	if s, ok := id.(string); ok {
		id = `"` + s + `"`
	}
	return cancelledWith(fmt.Sprintf(`{"requestId":%v}`, id))
}

func cancelledWith(params string) string {
	return pipetest.Notification("notifications/cancelled", params)
}

// cancelling starts a pipeline of Cancel alone.
func cancelling(t *testing.T, h pipeline.Handler) *pipetest.Client {
	return pipetest.Start(t, chain(middleware.Cancel(pipeline.MCP, quiet)), h, pipeline.Options{})
}

func TestACallIsCancelledByItsOwnID(t *testing.T) {
	for _, c := range []struct {
		id, requestID raw
		cancelled     bool
	}{
		{`5`, `5`, true},
		{`"5"`, `"5"`, true},
		{`5`, `"5"`, false},
		{`"5"`, `5`, false},
		{`"a"`, `"\u0061"`, true},
		{`"\u0061"`, `"a"`, true},
		{`"a"`, `"A"`, false},
		{`""`, `""`, true},
		{`0`, `0`, true},
		{`-1`, `-1`, true},
		{`9007199254740993`, `9007199254740993`, true},
		{`9007199254740993`, `9007199254740992`, false},
	} {
		t.Run(fmt.Sprintf("%s by %s", c.id, c.requestID), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				client := cancelling(t, methods().Serve)
				client.Send(wait(c.id, 9), cancelled(c.requestID))
				is.NoErr(client.Close())
				want := []string{waited(c.id)}
				if c.cancelled {
					want = nil // no answer at all
				}
				is.Equal(client.Written(), want)
			})
		})
	}
}

func TestACancelledCallEndsAtOnceWithTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		start := time.Now()
		c := cancelling(t, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			answer, err := waiting(ctx, m)
			is.Equal(err, middleware.ErrCancelled)
			is.Equal(time.Since(start), 2*time.Second)
			return answer, err
		})
		c.Send(wait(1, 3600))
		<-time.After(2 * time.Second)
		c.Send(cancelled(1))
		is.NoErr(c.Close())
	})
}

func TestTheAnswerOfACancelledCallIsSwallowed(t *testing.T) {
	for name, h := range map[string]pipeline.Handler{
		"an answer": func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) { return m.Answer(nil) },
		"an error":  func(context.Context, *pipeline.Message) (*pipeline.Message, error) { return nil, errors.New("oh") },
		"nothing":   func(context.Context, *pipeline.Message) (*pipeline.Message, error) { return nil, nil },
		"a panic":   panicking,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				deaf := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					if m.Method() == "ping" {
						return m.Answer(nil)
					}
					pipeline.Yield(ctx)
					<-time.After(5 * time.Second) // ignores its context
					return h(ctx, m)
				}
				c := pipetest.Start(t, chain(middleware.Cancel(pipeline.MCP, quiet), middleware.Recover(quiet)), deaf, pipeline.Options{})
				c.Send(wait(1, 0), cancelled(1))
				<-time.After(time.Minute)
				c.Send(ping(1)) // the id is free again
				is.NoErr(c.Close())
				is.Equal(c.Written(), []string{pong(1)})
			})
		})
	}
}

func TestTheCauseShowsAfterwardsWhetherTheAnswerWasHeldBack(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			var cause error
			handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.Yield(ctx)
				pipeline.Afterwards(ctx, func(context.Context) { cause = context.Cause(ctx) })
				return m.Answer("late")
			}
			var c *pipetest.Client
			onTheWay := pipeline.Middleware{Name: "way", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
				if late {
					c.Send(cancelled(1)) // the call has returned, but its answer has not left
					<-time.After(time.Second)
				}
				return next(ctx, m)
			}}
			c = pipetest.Start(t, chain(middleware.Cancel(pipeline.MCP, quiet), onTheWay), handler, pipeline.Options{})
			c.Send(wait(1, 0))
			<-time.After(time.Minute)
			is.NoErr(c.Close())
			is.Equal(len(c.Written()) == 0, late)
			is.Equal(cause == middleware.ErrCancelled, late)
			is.True(cause != nil) // the context has ended by then
		})
	}
}

func TestACallThatAStageFurtherInHasSplitIsStillCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		split := pipeline.Middleware{Name: "split", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call {
				return next(ctx, m)
			}
			return nil, pipeline.Split(ctx, slices.Values([]*pipeline.Message{m}), next)
		}}
		c := pipetest.Start(t, chain(middleware.Cancel(pipeline.MCP, quiet), split), methods().Serve, pipeline.Options{})
		c.Send(wait(1, 9), wait(2, 9), cancelled(1))
		<-time.After(time.Second)
		c.Send(ping(1)) // the id is free again
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{pong(1), waited(2)})
	})
}

func TestMessagesOfACancelledCallAreSwallowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := cancelling(t, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			p := pipeline.From(ctx)
			is.NoErr(p.Notify(ctx, "before", nil))
			waiting(ctx, m)
			is.Equal(p.Notify(ctx, "after", nil), middleware.ErrCancelled)
			inside := context.WithoutCancel(ctx) // such as to clean up
			is.Equal(p.Notify(inside, "after", nil), middleware.ErrCancelled)
			_, err := p.Call(inside, "question", nil)
			is.Equal(err, middleware.ErrCancelled) // the caller does not wait forever
			return m.Answer(nil)
		})
		c.Send(wait(1, 3600))
		synctest.Wait()
		c.Send(cancelled(1))
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{pipetest.Notification("before", "")})
	})
}

func TestOtherCallsAreNotTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := cancelling(t, methods().Serve)
		c.Send(wait(1, 1), wait(2, 2), wait("2", 3), cancelled(2))
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{waited(1), waited("2")})
	})
}

func TestInitializeCannotBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := cancelling(t, waiting)
		c.Send(pipetest.Call(1, "initialize", `{"secs":5}`), cancelled(1))
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{waited(1)})
	})
}

func TestCancellationsOfNothingAreIgnored(t *testing.T) {
	for name, line := range map[string]string{
		"an unknown id":              cancelled(999),
		"a finished call":            cancelled("done"),
		"no params":                  cancelledWith(""),
		"no id":                      cancelledWith(`{"reason":"why not"}`),
		"null":                       cancelledWith(`{"requestId":null}`),
		"an id of another name":      cancelledWith(`{"id":5}`),
		"a text of the same digits":  cancelledWith(`{"requestId":"5"}`),
		"an object":                  cancelledWith(`{"requestId":{"id":5}}`),
		"an array":                   cancelledWith(`{"requestId":[5]}`),
		"a boolean":                  cancelledWith(`{"requestId":true}`),
		"params that are a list":     cancelledWith(`[5]`),
		"params that are an id":      cancelledWith(`5`),
		"a name in another case":     cancelledWith(`{"RequestID":5}`),
		"another method":             pipetest.Notification("notifications/canceled", `{"requestId":5}`),
		"a call, not a notification": pipetest.Call("x", "notifications/cancelled", `{"requestId":5}`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				c := cancelling(t, methods().Serve)
				c.Send(wait("done", 0))
				is.Equal(c.Recv(), waited("done"))
				c.Send(wait(5, 1), line)
				is.NoErr(c.Close())
				got := c.Written()
				is.Equal(got[len(got)-1], waited(5))                         // 5 still completes
				is.True(len(got) == 1 || strings.Contains(got[0], "-32601")) // and nothing else is sent
			})
		})
	}
}

func TestOnlyTheIdOfACancellationCounts(t *testing.T) {
	for name, params := range map[string]string{
		"a reason that is not a string": `{"requestId":5,"reason":{"code":7}}`,
		"no reason":                     `{"requestId":5,"reason":null}`,
		"duplicates in _meta":           `{"_meta":{"a":1,"a":2},"requestId":5}`,
		"duplicate reasons":             `{"reason":"a","requestId":5,"reason":"b"}`,
		"_meta that is not an object":   `{"_meta":7,"requestId":5}`,
		"escapes in the name":           `{"request\u0049d":5}`,
		"a member of another":           `{"requestId":5,"why":"so"}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				c := cancelling(t, methods().Serve)
				c.Send(wait(5, 9), cancelledWith(params))
				is.NoErr(c.Close())
				is.Equal(c.Written(), nil) // it was cancelled
			})
		})
	}
}

func TestTheReasonOfACancellationIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log bytes.Buffer
		c := pipetest.Start(t, chain(middleware.Cancel(pipeline.MCP, slog.New(slog.NewTextHandler(&log, nil)))), methods().Serve, pipeline.Options{})
		c.Send(wait("a", 9), cancelledWith(`{"requestId":"a","reason":"half an emoji \ud83d"}`))
		is.NoErr(c.Close())
		is.True(strings.Contains(log.String(), `id="\"a\"" reason="half an emoji`)) // which call, and why
	})
}

func TestASecondCallWithARunningIDIsRefusedWithoutIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := cancelling(t, methods().Serve)
		c.Send(wait(raw(`"a"`), 5), ping(raw(`"\u0061"`)), ping("b"))
		is.Equal(c.Recv(), refusal(nil, -32600, `invalid request: id "\u0061" belongs to a call that is still running`))
		is.Equal(c.Recv(), pong("b"))
		is.Equal(c.Recv(), waited("a")) // the first is not disturbed
	})
}

func TestAnIDIsFreeWhenItsAnswerIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := cancelling(t, methods().Serve)
		for range 500 {
			c.Send(wait(1, 0))
			is.Equal(c.Recv(), waited(1)) // never "still running"
		}
	})
}

func TestAPanicInsideFreesTheID(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, middleware.Cancel(pipeline.MCP, quiet), methods().Serve, pipetest.Call(1, "panic", ""), ping(1))
	is.Equal(got, []string{refusal(1, -32603, "internal error: panic"), pong(1)})
}

func TestACallThatIsNotAnsweredFreesTheID(t *testing.T) {
	is := is.New(t)
	drop := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Method() == "drop" {
			return nil, nil
		}
		return m.Answer(nil)
	}
	is.Equal(pipetest.In(t, middleware.Cancel(pipeline.MCP, quiet), drop, pipetest.Call(1, "drop", ""), ping(1)), []string{pong(1)})
}

func TestARefusalFurtherOutDoesNotEndTheRunningCallWithThatID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		gate := pipeline.Middleware{Name: "gate", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Method() == "refuse" {
				return nil, pipeline.ErrInvalidRequest
			}
			return next(ctx, m)
		}}
		c := pipetest.Start(t, chain(gate, middleware.Cancel(pipeline.MCP, quiet)), methods().Serve, pipeline.Options{})
		c.Send(wait(5, 9), pipetest.Call(5, "refuse", ""), cancelled(5), wait(6, 9), pipetest.Call(6, "refuse", ""))
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{
			refusal(5, -32600, "invalid request"),
			refusal(6, -32600, "invalid request"),
			waited(6), // while 5 could still be cancelled
		})
	})
}

func TestACallToTheClientMayHaveTheIDOfARunningCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := cancelling(t, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			answer, err := pipeline.From(ctx).Call(ctx, "question", nil)
			if err != nil {
				return nil, err
			}
			return m.Answer(json.RawMessage(answer))
		})
		c.Call(1, "ask", "")
		is.Equal(c.Recv(), pipetest.Call(1, "question", "")) // our call has the same id
		c.Send(answer(1, `"yes"`))
		is.Equal(c.Recv(), answer(1, `"yes"`))
	})
}

func TestAnIDIsFreeWhateverBecomesOfItsAnswer(t *testing.T) {
	once := func() func() bool {
		first := true
		return func() bool { defer func() { first = false }(); return first }
	}
	for name, stages := range map[string]func() []pipeline.Middleware{
		"a panic further out": func() []pipeline.Middleware {
			first := once()
			return chain(pipeline.Middleware{Name: "out", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
				answer, err := next(ctx, m)
				if first() {
					panic("oh")
				}
				return answer, err
			}}, middleware.Cancel(pipeline.MCP, quiet))
		},
		"dropped further out": func() []pipeline.Middleware {
			first := once()
			return chain(pipeline.Middleware{Name: "out", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
				answer, err := next(ctx, m)
				if first() {
					return nil, nil
				}
				return answer, err
			}}, middleware.Cancel(pipeline.MCP, quiet))
		},
		"dropped on its way out": func() []pipeline.Middleware {
			first := once()
			return chain(middleware.Cancel(pipeline.MCP, quiet), pipeline.Middleware{Name: "in", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
				if first() {
					return nil
				}
				return next(ctx, m)
			}})
		},
		"a panic on its way out": func() []pipeline.Middleware {
			first := once()
			return chain(middleware.Cancel(pipeline.MCP, quiet), pipeline.Middleware{Name: "in", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
				if first() {
					panic("oh")
				}
				return next(ctx, m)
			}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := pipetest.Chain(t, stages(), nil, ping(1), ping(1), ping(1))
			is.Equal(got[len(got)-2:], []string{pong(1), pong(1)})
		})
	}
}

func TestACallThatAStageFurtherOutTriesAgainIsNotASecondOne(t *testing.T) {
	is := is.New(t)
	again := pipeline.Middleware{Name: "again", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		next(ctx, m)
		return next(ctx, m)
	}}
	is.Equal(pipetest.Chain(t, chain(again, middleware.Cancel(pipeline.MCP, quiet)), nil, ping(1)), []string{pong(1)})
}

func TestInADialectThatAnswersThemACancelledCallIsRefusedWithItsCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.Cancel(pipeline.LSP, quiet)), methods().Serve, pipeline.Options{})
		c.Send(wait(1, 3600))
		synctest.Wait()
		c.Notify("$/cancelRequest", `{"id":1.0}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled by the client"}}`)
	})
}

func TestACancellationWithAnOddReasonOrMetaCancels(t *testing.T) {
	for _, params := range []string{
		`{"requestId":1,"reason":5}`, `{"requestId":1,"reason":{"a":[]}}`, `{"requestId":1,"_meta":{"a":1,"a":2}}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			c := cancelling(t, methods().Serve)
			c.Send(wait(1, 3600))
			synctest.Wait()
			c.Notify("notifications/cancelled", params)
			is.NoErr(c.Close())
			is.Equal(len(c.Written()), 0)
		})
	}
}
