package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

const (
	ping1 = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong1 = `{"jsonrpc":"2.0","id":1,"result":{}}`
	pong2 = `{"jsonrpc":"2.0","id":2,"result":{}}`
)

// methods are what the tests call. wait takes seconds of fake time.
func methods() pipeline.Mux {
	return pipeline.Mux{
		"ping": pipetest.OK,
		"wait": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			var p struct{ Secs int }
			if err := m.Decode(&p); err != nil {
				return nil, err
			}
			pipeline.Yield(ctx)
			select {
			case <-time.After(time.Duration(p.Secs) * time.Second):
				return m.Answer("waited")
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		},
		"panic": func(context.Context, *pipeline.Message) (*pipeline.Message, error) { panic("oh") },
		"fatal": func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
			return nil, pipeline.Fatal(errors.New("the end"))
		},
		"ask": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			answer, err := pipeline.From(ctx).Call(ctx, "question", m.Params())
			if err != nil {
				return nil, err
			}
			return m.Answer(answer)
		},
	}
}

func TestMessagesAreAnsweredInTheOrderInWhichTheyCame(t *testing.T) {
	is := is.New(t)
	var lines, want []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	is.Equal(pipetest.Chain(t, nil, methods().Serve, lines...), want) // one after the other
}

func TestALongCallDoesNotBlockTheNextMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
		c.Call(1, "wait", `{"Secs":5}`)
		c.Call(2, "ping", "")
		is.Equal(c.Recv(), pong2)                                        // ping overtakes
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"result":"waited"}`) // the slow one when it is ready
	})
}

func TestACallToTheClientIsAnsweredWhileItsHandlerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
		c.Call("q", "ask", `{"n":1.0}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"method":"question","params":{"n":1.0}}`) // we ask
		c.Send(`{"jsonrpc":"2.0","id":1,"result":{"n": 2.50}}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":"q","result":{"n": 2.50}}`) // and pass the answer on
		c.Call("r", "ask", "")
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":2,"method":"question"}`) // with a new id
		c.Send(`{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"rejected","data":[1]}}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":"r","error":{"code":-1,"message":"rejected","data":[1]}}`)
	})
}

func TestStrayResponsesAreIgnored(t *testing.T) {
	is := is.New(t)
	got := pipetest.Chain(t, nil, methods().Serve, `{"jsonrpc":"2.0","id":99,"result":{}}`, ping1)
	is.Equal(got, []string{pong1}) // only the pong
}

func TestAfterTheEndOfInputWhatWasReadIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{Drain: 5 * time.Second})
		c.Call(1, "wait", `{"Secs":3}`)
		is.NoErr(c.Close())
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"result":"waited"}`)
	})
}

func TestDrainingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{Drain: 5 * time.Second})
		c.Call(1, "wait", `{"Secs":3600}`)
		start := time.Now()
		is.NoErr(c.Close())
		is.Equal(time.Since(start), 5*time.Second)             // not longer than the limit
		is.True(strings.Contains(c.Recv(), `pipeline closed`)) // the call gets the cause
	})
}

func TestStopCancelsWhatRunsWithStdinStillOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
		c.Call(1, "wait", `{"Secs":3600}`)
		synctest.Wait()
		c.Pipeline.Stop(errors.New("enough"))
		is.Equal(c.Wait().Error(), "enough") // Run returns the reason
		is.Equal(c.Pipeline.Notify(t.Context(), "late", nil), pipeline.ErrClosed)
	})
}

func TestAFatalErrorEndsTheServerWithStdinStillOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
		c.Call(1, "fatal", "")
		is.Equal(c.Wait().Error(), "the end")
	})
}

func TestRunReturnsOnlyWhenNoHandlerRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var running atomic.Bool
		slow := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			running.Store(true)
			defer running.Store(false)
			pipeline.Yield(ctx)
			<-ctx.Done()
			<-time.After(2 * time.Second) // it cleans up
			return nil, context.Cause(ctx)
		}
		c := pipetest.Start(t, nil, slow, pipeline.Options{})
		c.Call(1, "slow", "")
		synctest.Wait()
		is.True(running.Load()) // running
		c.Pipeline.Stop(nil)
		is.NoErr(c.Wait())
		is.True(!running.Load()) // finished
	})
}

func TestAPanicIsAnsweredAndTheServerGoesOn(t *testing.T) {
	is := is.New(t)
	got := pipetest.Chain(t, nil, methods().Serve, `{"jsonrpc":"2.0","id":7,"method":"panic"}`, ping1)
	is.Equal(got, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"internal error: panic"}}`, pong1})
}

func TestAPanicOnTheWayOutIsAnsweredAndTheServerGoesOn(t *testing.T) {
	is := is.New(t)
	once := true
	bad := pipeline.Middleware{Name: "bad", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
		if once {
			once = false
			panic("oh")
		}
		return next(ctx, m)
	}}
	got := pipetest.Chain(t, []pipeline.Middleware{bad}, methods().Serve, `{"jsonrpc":"2.0","id":7,"method":"ping"}`, ping1)
	is.Equal(got, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"internal error: panic on the way out"}}`, pong1})
}

func TestNotificationsAreNeverAnswered(t *testing.T) {
	is := is.New(t)
	got := pipetest.Chain(t, nil, methods().Serve,
		`{"jsonrpc":"2.0","method":"panic"}`, `{"jsonrpc":"2.0","method":"unknown"}`,
		`{"jsonrpc":"2.0","method":"wait","params":5}`, `{"jsonrpc":"2.0","method":"ping"}`, ping1)
	is.Equal(got, []string{pong1}) // only the call
}

func TestUnknownMethodsAndWrongParamsAreReported(t *testing.T) {
	is := is.New(t)
	got := pipetest.Chain(t, nil, methods().Serve,
		`{"jsonrpc":"2.0","id":1,"method":"nope"}`,
		`{"jsonrpc":"2.0","id":2,"method":"wait","params":[1]}`,
		`{"jsonrpc":"2.0","id":3,"method":"wait","params":{"Secs":"x"}}`)
	is.Equal(got, []string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: nope"}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"invalid params: must be an object, not an array"}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"invalid params: /Secs must be an integer, not a string"}}`,
	})
}

func TestAFloodWithPanicsAmongItIsAnsweredCompletely(t *testing.T) {
	is := is.New(t)
	var lines []string
	for i := range 2000 {
		method := []string{"ping", "panic", "wait"}[i%3]
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s"}`, i, method))
	}
	got := pipetest.Chain(t, nil, methods().Serve, lines...)
	seen := map[string]bool{}
	for _, line := range got {
		seen[pipeline.Parse([]byte(line)).ID().String()] = true
	}
	is.Equal(len(got), 2000)  // one answer each
	is.Equal(len(seen), 2000) // and no id more than once
}

func TestATooLongLineIsSkippedAndAnswered(t *testing.T) {
	is := is.New(t)
	long := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<20) + `"}`
	got := pipetest.Chain(t, nil, nil, long, ping1)
	is.Equal(len(got), 2)
	is.Equal(got[0], `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the line is longer than 1048576 bytes"}}`)
	is.Equal(got[1], pong1) // the session goes on
}

func TestEveryHostileLineLeavesTheServerAlive(t *testing.T) {
	lines := hostile()
	is := is.New(t)
	is.True(len(lines) >= 60) // the corpus is not tiny
	for _, line := range lines {
		is := is.New(t)
		got := pipetest.Chain(t, nil, methods().Serve, line, ping1)
		is.Equal(got[len(got)-1], pong1) // the ping after it is answered
	}
}

func TestADeadPeerEndsTheServer(t *testing.T) {
	is := is.New(t)
	p := pipetest.New(strings.NewReader(ping1+"\n"), brokenPipe{}, nil, nil, pipeline.Options{})
	is.Equal(p.Run(t.Context()).Error(), "write: broken")
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestAHandlersResultIsPassedOnAsItIs(t *testing.T) {
	is := is.New(t)
	raw := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(json.RawMessage(`{ "b":1.0, "a":"<&>" }`))
	}
	is.Equal(pipetest.Chain(t, nil, raw, ping1), []string{`{"jsonrpc":"2.0","id":1,"result":{ "b":1.0, "a":"<&>" }}`})
}

func TestMethodEncodesNilSlicesAsEmptyArrays(t *testing.T) {
	is := is.New(t)
	h := pipeline.Method(func(context.Context, struct{}) (map[string][]int, error) {
		return map[string][]int{"tools": nil}, nil
	})
	is.Equal(pipetest.Chain(t, nil, h, ping1), []string{`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`}) // never null
}
