package pipeline_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// asksInVain calls the client with a context other than that of its message.
func asksInVain(_ context.Context, p *pipeline.Pipeline) error {
	_, err := p.Call(context.Background(), "question", nil)
	return err
}

func TestACallToTheClientThatBlocksItsOwnResponseFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			if err := asksInVain(ctx, pipeline.From(ctx)); err != nil { // without a Yield
				return nil, err
			}
			return m.Answer(nil)
		}, pipeline.Options{})
		c.Send(ping1)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"method":"question"}`)
		failed := c.Recv()
		is.True(strings.Contains(failed, `"id":1,"error"`))
		is.True(strings.Contains(failed, "ping (id 1) has held the input for 5s")) // names the method
		is.True(strings.Contains(failed, "Yield"))                                 // and the remedy
		c.Send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)                         // the pipeline goes on
		c.Recv()
	})
}

func TestACallToTheClientOutsideAnyMessageWaitsForItsResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			<-time.After(time.Second) // holds the baton for a while
			return m.Answer(nil)
		}, pipeline.Options{})
		c.Send(ping1)
		answered := make(chan error)
		go func() { answered <- asksInVain(t.Context(), c.Pipeline) }()
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"method":"question"}`)
		is.Equal(c.Recv(), pong1)
		<-time.After(time.Hour) // an answer may take long
		c.Send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		is.NoErr(<-answered)
	})
}

func TestAHandlerThatHasYieldedMayCallInAnyContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Yield(ctx)
			if err := asksInVain(ctx, pipeline.From(ctx)); err != nil {
				return nil, err
			}
			return m.Answer(nil)
		}, pipeline.Options{})
		c.Send(ping1)
		c.Recv()
		<-time.After(time.Hour)
		c.Send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		is.Equal(c.Recv(), pong1)
	})
}

func TestAStageMayAnswerACallToTheClientWithALongResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		long, err := pipeline.Encode(map[string]string{"a": strings.Repeat("long ", 1000)})
		is.NoErr(err)
		more, err := pipeline.Encode(map[string]int{"b": 2})
		is.NoErr(err)
		whole := long.Merge(more)
		replaced := pipeline.Middleware{Name: "replaced", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			response, err := pipeline.Parse([]byte(pipetest.Call(1, "question", ""))).Answer(whole)
			is.NoErr(err)
			return next(ctx, response)
		}}
		c := pipetest.Start(t, []pipeline.Middleware{replaced}, pipetest.OK, pipeline.Options{})
		answered := make(chan string)
		go func() {
			result, err := c.Pipeline.Call(t.Context(), "question", nil)
			is.NoErr(err)
			answered <- string(result)
		}()
		c.Recv()
		c.Send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		is.Equal(<-answered, string(whole.Bytes()))
	})
}
