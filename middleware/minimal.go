package middleware

import (
	"context"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Minimal enforces the narrow grammar of minimal mode: each line is one JSON-RPC object
// whose id, if it has one, is a string or a number. Anything else, even what is not JSON,
// gets -32600. If on is false, as it is in every other mode, the stage does nothing.
//
//	{"id":1,    is answered  {"jsonrpc":"2.0","error":{"code":-32600,…}}
//
// Without it minimal mode answers as the full server does, -32700 to what is not JSON,
// and accepts arrays.
func Minimal(on bool) pipeline.Middleware {
	if !on {
		return pipeline.Middleware{Name: "minimal"}
	}
	return pipeline.Middleware{
		Name: "minimal",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() == pipeline.Batch || m.Kind() == pipeline.Malformed && m.ID().IsZero() {
				return nil, fmt.Errorf("%w: minimal mode reads one JSON-RPC object a line", pipeline.ErrInvalidRequest)
			}
			return next(ctx, m)
		},
	}
}
