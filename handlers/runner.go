package handlers

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Runner runs calls of tools: in this process, as a server does, or elsewhere. When it is asked,
// the policy has allowed the call and its gate is open.
type Runner interface {
	// Call runs a tool and returns what its client gets. Whatever goes wrong in the tool is a result
	// with isError; the error is one that the tool has written, the cause of ctx when that ended
	// first, or says that the tool could not be run. The funcs of c are not called any more when Call
	// has returned. A tool is never run a second time for the same call.
	Call(ctx context.Context, c ToolCall) (*mcp.CallToolResult, error)
}

// Share returns a context with a share for a call that came without a message, and what gives the
// share back.
func (y *Memory) Share(ctx context.Context) (_ context.Context, release func()) {
	if y == nil {
		return ctx, func() {}
	}
	share := y.budget.Share()
	return budget.With(ctx, share), share.Release
}
