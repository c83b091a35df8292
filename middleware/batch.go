package middleware

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Batch splits an array of messages and serves its items in order, each as if it had come on a line
// of its own; each answer is a line of its own, never an array. If allowed reports false, as it
// should for every revision but 2025-03-26, an array is refused as a whole (J-23). So are, within an
// array, what stands alone in the dialect, in MCP initialize (J-22), and calls of a revision without batches (J-27).
//
//	[{"id":1,…},{"method":"note"},{"id":2,…}]  is answered  {"id":1,…}
//	                                                        {"id":2,…}
//
// Without it every array is refused.
func Batch(d pipeline.Dialect, allowed func() bool) pipeline.Middleware {
	return pipeline.Middleware{
		Name: "batch",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Batch {
				return next(ctx, m)
			}
			if !allowed() {
				return nil, fmt.Errorf("%w: batches are not part of this protocol revision; send one message a line",
					pipeline.ErrInvalidRequest)
			}
			var items atomic.Int32
			defer func() { pipeline.Note(ctx, "items", items.Load()) }()
			one := func(ctx context.Context, item *pipeline.Message) (*pipeline.Message, error) {
				items.Add(1)
				switch {
				case d.Alone != nil && d.Alone(item.Method()):
					return nil, fmt.Errorf("%w: %s cannot be part of a batch", pipeline.ErrInvalidRequest, item.Method())
				case mcp.HasClaim(item.Params()):
					return nil, fmt.Errorf("%w: calls of revision %s cannot be part of a batch", pipeline.ErrInvalidRequest,
						strings.Join(mcp.ClaimVersions(), ", "))
				}
				return next(ctx, item)
			}
			return nil, pipeline.Split(ctx, m.Items(), one)
		},
	}
}
