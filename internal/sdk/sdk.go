// Package sdk is the shell SDK and the server's side of the channel that it speaks.
//
//	var s sdk.Server
//	c, err := s.Open(ctx, sdk.Call{Dir: dir, Args: arguments})
//	res, err := runner.Run(ctx, script.Command{Path: tool, Env: append(env, c.Env()...), ExtraFiles: c.Files()})
//	c.Close()
//
// Tools ask the server for what a shell cannot do itself: to look into JSON and to make
// it, to tell progress and logs, to ask the user. They inherit a few pipes for it, so a
// helper such as mcp_args_get starts no process. docs/SDK.md is the manual of the helpers,
// docs/SDK-PROTOCOL.md that of the channel.
//
// A tool that never uses the SDK costs the pipes and a goroutine that sleeps.
package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/sdk/download"
	"github.com/mcp-bash/mcp-bash/internal/sdk/filter"
)

// A Server opens the channels of tool calls. The zero value is ready; its fields are not
// changed once it is used.
type Server struct {
	// Downloads says where mcp_download_safe may go.
	Downloads download.Policy
	// Log is told of faults of our own; nil: nobody is.
	Log *slog.Logger

	filters filter.Cache
}

// A Call is what the channel of one tool call answers from. Only Dir is needed. A func
// that is nil is something the client cannot do, and the helper says so. The funcs may be
// called from several goroutines at once, never after [Channel.Close] has returned, and
// must return soon after their context has ended.
type Call struct {
	// Dir is a folder that exists and is private to this call; an absolute path. Long
	// values pass through files in it whose names begin with "sdk.".
	Dir string
	// Args and Meta are the arguments and _meta of the request; nil means {}.
	Args, Meta json.RawMessage
	// Progress tells the client how far the tool is. The token is for the func to fill
	// in; Progress and Total are numbers as the tool wrote them, Total nil if unknown.
	// Whether a value is an increase, and may be sent, is for the func to judge (P-02).
	Progress func(context.Context, mcp.ProgressParams) error
	// Log tells the client something. Data is a json.RawMessage.
	Log func(context.Context, mcp.LogParams) error
	// Ask sends a request to the client and returns its result: elicitation/create and
	// sampling/createMessage. An error that is [ErrUnsupported] says that the client
	// cannot do that. Params are as revision 2025-11-25 wants them, a form without its
	// mode; a func that serves other revisions changes what they do otherwise (EL-03,
	// EL-05, EL-09).
	Ask func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Roots returns the folders that the client works in, as paths.
	Roots func(context.Context) ([]string, error)
	// UI says that the client shows MCP Apps (AP-01).
	UI bool
}

// ErrUnsupported is the error of Call.Ask for what the client cannot do.
var ErrUnsupported = errors.New("the client does not support it")

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}
