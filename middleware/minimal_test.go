package middleware_test

import (
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleMinimal() {
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Minimal(true)}, nil,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// {"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: minimal mode reads one JSON-RPC object a line"}}
}

func TestMinimalModeReadsOneObjectALine(t *testing.T) {
	const why = "invalid request: minimal mode reads one JSON-RPC object a line"
	for name, line := range map[string]string{
		"half a message":           `{"jsonrpc":"2.0","id":1,`,
		"text":                     "hello",
		"an array":                 batch(ping(1), ping(2)),
		"an empty array":           "[]",
		"a string":                 `"ping"`,
		"bytes that are not UTF-8": "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := pipetest.In(t, middleware.Minimal(true), nil, line, ping(3))
			is.Equal(got, []string{refusal(nil, -32600, why), pong(3)}) // and continues
		})
	}
}

func TestANullIDIsRefusedInMinimalModeToo(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, middleware.Minimal(true), nil, `{"jsonrpc":"2.0","id":null,"method":"ping"}`)
	is.Equal(len(got), 1)
	is.True(strings.Contains(got[0], `"code":-32600`))
}

func TestOutsideOfMinimalModeNothingIsRefused(t *testing.T) {
	is := is.New(t)
	stages := chain(middleware.Minimal(false), allowing())
	got := pipetest.Chain(t, stages, nil, batch(ping(1), ping(2)), `{"jsonrpc"`)
	is.Equal(got[:2], []string{pong(1), pong(2)})
	is.True(strings.Contains(got[2], `"code":-32700`))
}
