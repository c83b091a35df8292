package pipeline_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestMessagesSentAfterwardsFollowTheAnswer(t *testing.T) {
	is := is.New(t)
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		for i := range 2 {
			pipeline.Afterwards(ctx, func(ctx context.Context) { pipeline.From(ctx).Notify(ctx, fmt.Sprint("later", i), nil) })
		}
		pipeline.From(ctx).Notify(ctx, "first", nil)
		return m.Answer(nil)
	}
	is.Equal(pipetest.Chain(t, nil, handler, ping1), []string{
		`{"jsonrpc":"2.0","method":"first"}`, pong1,
		`{"jsonrpc":"2.0","method":"later0"}`, `{"jsonrpc":"2.0","method":"later1"}`, // in order
	})
	pipeline.Afterwards(t.Context(), func(context.Context) { t.Error("there is no message") })
}

func TestAfterwardsAppliesToEachItemOfABatch(t *testing.T) {
	is := is.New(t)
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Afterwards(ctx, func(ctx context.Context) { pipeline.From(ctx).Notify(ctx, "after", nil) })
		return m.Answer(nil)
	}
	const after = `{"jsonrpc":"2.0","method":"after"}`
	got := pipetest.Chain(t, []pipeline.Middleware{split}, handler, `[`+ping1+`,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	is.Equal(got, []string{pong1, after, pong2, after})
}

func TestAHandlerThatWaitsForNothingEndsWithTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Yield(ctx)
			<-pipeline.From(ctx).Ending()
			return m.Answer(nil)
		}, pipeline.Options{}) // no limit to draining
		c.Send(ping1)
		<-time.After(time.Hour)
		is.Equal(len(c.Written()), 0)
		is.NoErr(c.Close())
		is.Equal(c.Recv(), pong1)
	})
}

func TestAHandlerThatWaitsForNothingEndsWhenStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Yield(ctx)
			<-pipeline.From(ctx).Ending()
			return m.Answer(nil)
		}, pipeline.Options{})
		c.Send(ping1)
		synctest.Wait()
		c.Pipeline.Stop(nil)
		is.NoErr(c.Wait())
		is.Equal(c.Recv(), pong1)
	})
}

// asks is a handler that asks the other side and waits for one second.
func asks(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	answer, err := pipeline.From(ctx).Call(ctx, "question", nil)
	if err != nil {
		return nil, err
	}
	return m.Answer(answer)
}

// abandoned starts a pipeline that reports the calls that it has given up.
func abandoned(t *testing.T, handler pipeline.Handler) *pipetest.Client {
	var c *pipetest.Client
	c = pipetest.Start(t, nil, handler, pipeline.Options{Abandon: func(ctx context.Context, id pipeline.ID, cause error) {
		c.Pipeline.Notify(ctx, "abandoned", map[string]string{"id": id.String(), "why": cause.Error()})
	}})
	return c
}

func TestACallToTheClientWithoutAnAnswerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := abandoned(t, asks)
		c.Send(ping1)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"method":"question"}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","method":"abandoned","params":{"id":"1","why":"context deadline exceeded"}}`) // L-12
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"context deadline exceeded"}}`)
		c.Send(`{"jsonrpc":"2.0","id":1,"result":{}}`) // too late
		is.NoErr(c.Close())
		is.Equal(c.Recv(), "")
	})
}

func TestAnAnsweredCallToTheClientIsNotGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := abandoned(t, asks)
		c.Send(ping1)
		c.Recv()
		c.Send(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`)
		is.NoErr(c.Close())
		is.Equal(c.Recv(), "")
	})
}

func TestACallWhoseContextHasEndedDoesNotAskTheClient(t *testing.T) {
	is := is.New(t)
	over := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return asks(ctx, m)
	}
	is.Equal(pipetest.Chain(t, nil, over, ping1), []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"context canceled"}}`})
}

func TestAPanicAfterwardsDoesNotAnswerAgain(t *testing.T) {
	is := is.New(t)
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Afterwards(ctx, func(context.Context) { panic("oh") })
		pipeline.Afterwards(ctx, func(ctx context.Context) { pipeline.From(ctx).Notify(ctx, "later", nil) })
		return m.Answer(nil)
	}
	is.Equal(pipetest.Chain(t, nil, handler, ping1), []string{pong1, `{"jsonrpc":"2.0","method":"later"}`})
}

func TestMessagesSentAfterwardsFollowTheAnswerToAPanic(t *testing.T) {
	is := is.New(t)
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Afterwards(ctx, func(ctx context.Context) { pipeline.From(ctx).Notify(ctx, "later", nil) })
		panic("oh")
	}
	is.Equal(pipetest.Chain(t, nil, handler, ping1), []string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: panic"}}`,
		`{"jsonrpc":"2.0","method":"later"}`,
	})
}

func TestAfterwardsMayAddMoreFunctions(t *testing.T) {
	is := is.New(t)
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Afterwards(ctx, func(ctx context.Context) {
			pipeline.Afterwards(ctx, func(ctx context.Context) { pipeline.From(ctx).Notify(ctx, "last", nil) })
		})
		return m.Answer(nil)
	}
	is.Equal(pipetest.Chain(t, nil, handler, ping1), []string{pong1, `{"jsonrpc":"2.0","method":"last"}`})
}

func TestTheAnswerToAPanicPassesTheChain(t *testing.T) {
	is := is.New(t)
	var seen []string
	look := pipeline.Middleware{Name: "look", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
		seen = append(seen, string(m.Line()))
		return next(ctx, m)
	}}
	is.Equal(pipetest.Chain(t, []pipeline.Middleware{look}, methods().Serve, `{"jsonrpc":"2.0","id":1,"method":"panic"}`), seen)
	is.Equal(len(seen), 1) // a stage that drops answers, as for a cancelled call, drops this one too
}
