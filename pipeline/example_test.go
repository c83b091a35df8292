package pipeline_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// brief is a stage: it refuses long messages.
var brief = pipeline.Middleware{
	Name: "brief",
	Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		if len(m.Line()) > 100 {
			return nil, fmt.Errorf("%w: be brief", pipeline.ErrInvalidRequest)
		}
		return next(ctx, m)
	},
}

type numbers struct {
	A int `json:"a"`
	B int `json:"b"`
}

func add(_ context.Context, n numbers) (int, error) { return n.A + n.B, nil }

func Example() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"add","params":{"a":2,"b":3}}
{"jsonrpc":"2.0","id":2,"method":"add","params":{"a":2,"b":3,"why":"` + strings.Repeat("because ", 20) + `"}}
`)
	out := struct{ io.Writer }{os.Stdout} // which stays open
	methods := pipeline.Mux{"add": pipeline.Method(add)}
	p := pipeline.New(pipeline.NewNDJSON(in, out, 64<<20), []pipeline.Middleware{brief}, methods.Serve, pipeline.Options{})
	if err := p.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":5}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"invalid request: be brief"}}
}
