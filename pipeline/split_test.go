package pipeline_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// split is a batch stage of a few lines.
var split = pipeline.Middleware{Name: "split", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
	if m.Kind() != pipeline.Batch {
		return next(ctx, m)
	}
	return nil, pipeline.Split(ctx, m.Items(), next)
}}

func TestItemsOfASplitAreServedAsIfEachHadItsOwnLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, []pipeline.Middleware{split}, methods().Serve, pipeline.Options{})
		c.Send(`[{"jsonrpc":"2.0","id":"a","method":"wait","params":{"Secs":9}},` +
			`{"jsonrpc":"2.0","id":"b","method":"ping"},` +
			`{"jsonrpc":"2.0","id":"c","method":"panic"},` +
			`{"jsonrpc":"2.0","id":"d","method":"wait","params":{"Secs":3}}]`)
		c.Call(1, "ping", "")
		var order []string
		for range 5 {
			order = append(order, pipeline.Parse([]byte(c.Recv())).ID().String())
		}
		is.Equal(strings.Join(order, " "), `"b" "c" 1 "d" "a"`) // in order, slow ones when they are ready
	})
}

func TestAMessageThatReplacesABrokenLineIsAnsweredWithItsOwnID(t *testing.T) {
	is := is.New(t)
	mend := pipeline.Middleware{Name: "mend", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		mended := pipeline.Parse([]byte(strings.TrimPrefix(string(m.Line()), "> ")))
		return nil, pipeline.Split(ctx, slices.Values([]*pipeline.Message{mended}), next)
	}}
	got := pipetest.Chain(t, []pipeline.Middleware{mend}, methods().Serve, "> "+ping1,
		`> {"jsonrpc":"2.0","id":7,"method":"nope"}`, `> {"jsonrpc":"2.0","id":8,"method":"panic"}`,
		`> {"jsonrpc":"2.0","method":"wait","params":5}`)
	is.Equal(got, []string{
		pong1,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found: nope"}}`, // including errors
		`{"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"internal error: panic"}}`,  // but none for a notification
	})
}

func TestTheLineAfterASplitWaitsForItsQuickItems(t *testing.T) {
	is := is.New(t)
	got := pipetest.Chain(t, []pipeline.Middleware{split}, methods().Serve,
		`[`+strings.Repeat(`{"jsonrpc":"2.0","id":"x","method":"ping"},`, 50)+ping1+`]`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	is.Equal(slices.Index(got, pong2), 51) // last
}
