package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestNothingIsServedAfterTheMessageThatEndsThePipeline(t *testing.T) {
	is := is.New(t)
	var served []string
	end := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		served = append(served, m.Method())
		if m.Method() == "exit" {
			pipeline.From(ctx).Stop(nil)
		}
		return m.Answer(nil)
	}
	got := pipetest.Chain(t, nil, end,
		ping1, `{"jsonrpc":"2.0","id":2,"method":"exit"}`, `{"jsonrpc":"2.0","id":3,"method":"late"}`)
	is.Equal(got, []string{pong1, pong2})            // the end itself is answered
	is.Equal(strings.Join(served, " "), "ping exit") // nothing after it runs, although it could be read
}

func TestMessagesSentBeforeTheCloseFollowTheLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var p *pipeline.Pipeline
		released := make(chan struct{})
		slow := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			p = pipeline.From(ctx)
			<-released
			return m.Answer(nil)
		}
		c := pipetest.Start(t, nil, slow, pipeline.Options{BeforeClose: func(ctx context.Context) {
			is.NoErr(p.Notify(ctx, "bye", nil))
		}})
		c.Send(ping1)
		ended := make(chan error)
		go func() { ended <- c.Close() }()
		synctest.Wait()
		close(released)
		is.NoErr(<-ended)
		is.Equal(c.Recv(), pong1)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","method":"bye"}`)
	})
}

func TestACallToTheClientEndsWithTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{}) // no limit to draining
		c.Call("q", "ask", "")
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"method":"question"}`)
		start := time.Now()
		is.NoErr(c.Close())
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":"q","error":{"code":-32603,"message":"pipeline closed"}}`) // no response can arrive
		is.Equal(time.Since(start), time.Duration(0))                                                        // the call fails at once
	})
}

func TestAResponseInTheLastLineIsStillDelivered(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
			c.Call("q", "ask", "")
			c.Recv()
			c.Send(`{"jsonrpc":"2.0","id":1,"result":{"n":1}}`)
			is.NoErr(c.Close())
			is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":"q","result":{"n":1}}`) // not lost at the end of input
		})
	}
}

func TestAPanicAfterTheWriteDoesNotAnswerTwice(t *testing.T) {
	is := is.New(t)
	bad := pipeline.Middleware{Name: "bad", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
		next(ctx, m)
		panic("oh")
	}}
	is.Equal(pipetest.Chain(t, []pipeline.Middleware{bad}, nil, ping1), []string{pong1}) // one answer per call
}

func TestAMessageThatEndsABatchIsItsLast(t *testing.T) {
	is := is.New(t)
	var served []string
	handler := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		served = append(served, m.Method())
		if m.Method() == "fatal" {
			return nil, pipeline.Fatal(errors.New("the end"))
		}
		return m.Answer(nil)
	}
	var out strings.Builder
	in := fmt.Sprintf(`[%s,{"jsonrpc":"2.0","id":2,"method":"fatal"},{"jsonrpc":"2.0","id":3,"method":"late"}]`, ping1)
	p := pipetest.New(strings.NewReader(in), &out, []pipeline.Middleware{split}, handler, pipeline.Options{})
	is.Equal(p.Run(t.Context()).Error(), "the end")
	is.Equal(strings.Join(served, " "), "ping fatal") // the next item does not run
}

func TestAfterFinishWhatWasReadIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		x := methods()
		x["exit"] = func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.From(ctx).Finish()
			return m.Answer(nil)
		}
		c := pipetest.Start(t, nil, x.Serve, pipeline.Options{})
		c.Call(1, "wait", `{"Secs":3600}`)
		c.Call(2, "exit", "")
		is.NoErr(c.Wait())        // with the input still open
		is.Equal(c.Recv(), pong2) // the end itself is answered
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"result":"waited"}`)
		c.Pipeline.Finish() // a second time has no effect
	})
}

func TestStopEndsWhatFinishWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
		c.Call(1, "wait", `{"Secs":3600}`)
		synctest.Wait()
		c.Pipeline.Finish()
		synctest.Wait()
		c.Pipeline.Stop(errors.New("enough"))
		is.Equal(c.Wait().Error(), "enough")
	})
}

func TestAPipelineKnowsWhyItHasEnded(t *testing.T) {
	fault := errors.New("fault")
	for _, c := range []struct {
		name string
		end  func(*pipetest.Client)
		why  error
		err  error
	}{
		{"end of input", func(c *pipetest.Client) { c.Close() }, pipeline.EndOfInput, nil},
		{"finish", func(c *pipetest.Client) { c.Pipeline.Finish() }, pipeline.Finished, nil},
		{"stop", func(c *pipetest.Client) { c.Pipeline.Stop(nil) }, pipeline.Stopped, nil},
		{"an end", func(c *pipetest.Client) { c.Pipeline.Stop(pipeline.End("bored")) }, pipeline.End("bored"), nil},
		{"a fault", func(c *pipetest.Client) { c.Pipeline.Stop(fault) }, fault, fault},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				client := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
				c.end(client)
				is.Equal(client.Wait(), c.err)
				is.Equal(client.Pipeline.Why(), c.why)
			})
		})
	}
}
