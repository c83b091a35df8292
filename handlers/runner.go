package handlers

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Runner runs calls of tools: in this process, as a server does, or elsewhere. Before it is
// called the policy has allowed the call and its gate is open.
type Runner interface {
	// Call runs a tool and returns the result for its client. Whatever goes wrong in the tool is a
	// result with isError; the error is one that the tool has written, or the cause of ctx if that
	// ended first, or means that the tool could not be run. The funcs of c are not called after
	// Call has returned. A tool is never run a second time for the same call.
	Call(ctx context.Context, c ToolCall) (*mcp.CallToolResult, error)
}
