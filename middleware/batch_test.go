package middleware_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleBatch() {
	always := func() bool { return true }
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Batch(pipeline.MCP, always)}, nil,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"note"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// {"jsonrpc":"2.0","id":2,"result":{}}
}

// allowing lets every batch pass.
func allowing() pipeline.Middleware {
	return middleware.Batch(pipeline.MCP, func() bool { return true })
}

func batch(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

func TestABatchIsRefusedAsAWholeIfTheRevisionHasNone(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			s := session(version)
			stage := middleware.Batch(pipeline.MCP, func() bool { return s.Revision().Batches })
			got := pipetest.In(t, stage, nil, batch(ping(1), ping(2)), `[]`, ping(3))
			empty := refusal(nil, -32600, "invalid request: the batch is empty")
			if version == "2025-03-26" {
				is.Equal(got, []string{pong(1), pong(2), empty, pong(3)})
				return
			}
			refused := refusal(nil, -32600, "invalid request: batches are not part of this protocol revision; send one message a line")
			is.Equal(got, []string{refused, empty, pong(3)}) // one error for each, without id
		})
	}
}

func TestEachBatchIsCheckedSeparately(t *testing.T) {
	is := is.New(t)
	s := new(mcp.Session)
	open := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		s.Open(mcp.Negotiate("2025-03-26"), mcp.ClientCapabilities{})
		return m.Answer(nil)
	}
	stage := middleware.Batch(pipeline.MCP, func() bool { return s.Revision().Batches })
	got := pipetest.In(t, stage, open, batch(ping(1)), ping(2), batch(ping(3)))
	is.Equal(len(got), 3)
	is.True(strings.Contains(got[0], "-32600")) // not yet allowed
	is.Equal(got[1:], []string{pong(2), pong(3)})
}

func TestItemsAreAnsweredInOrderOneALine(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, allowing(), nil, batch(ping(3), ping("a"), ping(1)), ping(4))
	is.Equal(got, []string{pong(3), pong("a"), pong(1), pong(4)}) // never an array
}

func TestNotificationsInABatchAreServedAndNotAnswered(t *testing.T) {
	is := is.New(t)
	served := 0
	count := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Kind() == pipeline.Notification {
			served++
		}
		return pipetest.OK(ctx, m)
	}
	note := pipetest.Notification("note", "")
	got := pipetest.In(t, allowing(), count, batch(note, ping(1), note), batch(note))
	is.Equal(got, []string{pong(1)}) // nothing for the notifications
	is.Equal(served, 3)              // although each was served
}

func TestEveryMalformedItemGetsItsOwnError(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, allowing(), nil, batch(`1`, ping(1), `{}`, `"x"`, `null`, `{"jsonrpc":"1.0","id":7,"method":"m"}`))
	is.Equal(got, []string{
		refusal(nil, -32600, "invalid request: a message is a JSON object, not a number"),
		pong(1),
		refusal(nil, -32600, `invalid request: "jsonrpc" must be "2.0"`),
		refusal(nil, -32600, "invalid request: a message is a JSON object, not a string"),
		refusal(nil, -32600, "invalid request: a message is a JSON object, not null"),
		refusal(7, -32600, `invalid request: "jsonrpc" must be "2.0"`),
	})
}

func TestBatchesDoNotNest(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, allowing(), nil, batch(batch(ping(1)), `[]`, ping(2)))
	nested := refusal(nil, -32600, "invalid request: batches cannot be nested")
	is.Equal(got, []string{nested, nested, pong(2)})
}

func TestInitializeInABatchIsRefused(t *testing.T) {
	is := is.New(t)
	served := ""
	note := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		served += m.Method()
		return pipetest.OK(ctx, m)
	}
	got := pipetest.In(t, allowing(), note, batch(pipetest.Call(1, "initialize", `{}`), ping(2)))
	is.Equal(got, []string{refusal(1, -32600, "invalid request: initialize cannot be part of a batch"), pong(2)})
	is.Equal(served, "ping") // no session was opened
}

func TestASlowFirstItemDoesNotHoldUpTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(allowing()), methods().Serve, pipeline.Options{})
		c.Send(batch(wait("slow", 9), ping(1), wait("less slow", 3)), ping(2))
		var got []string
		for range 4 {
			got = append(got, c.Recv())
		}
		is.Equal(got, []string{pong(1), pong(2), waited("less slow"), waited("slow")}) // including the next line
	})
}

func TestEachItemIsCancelledByItsOwnID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(allowing(), middleware.Cancel(pipeline.MCP, quiet)), methods().Serve, pipeline.Options{})
		c.Send(batch(wait(1, 5), wait(2, 5), cancelled(1), wait(3, 5)), cancelled(3))
		is.NoErr(c.Close())
		is.Equal(c.Written(), []string{waited(2)}) // cancelled from inside and from outside the batch
	})
}

func TestAPanickingItemCostsOnlyItself(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, allowing(), methods().Serve, batch(ping(1), pipetest.Call(2, "panic", ""), ping(3)))
	is.Equal(got, []string{pong(1), refusal(2, -32603, "internal error: panic"), pong(3)})
}
