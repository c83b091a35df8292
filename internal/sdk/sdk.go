// Package sdk contains the shell SDK and the server's side of its channel.
//
//	var s sdk.Server
//	c, err := s.Open(ctx, sdk.Call{Dir: dir, Args: arguments})
//	res, err := runner.Run(ctx, process.Command{Path: tool, Env: append(env, c.Env()...), ExtraFiles: c.Files(),
//		Copies: []process.Copy{{From: c.Requests(), To: c}}})
//	c.End(false)
//	c.Free()
//
// Tools ask the server for what a shell cannot do itself: to read and write JSON, to report
// progress and log messages, to ask the user. They inherit a few pipes for this, so that a
// helper such as mcp_args_get starts no process. docs/SDK.md documents the helpers,
// docs/SDK-PROTOCOL.md the channel.
//
// For a tool that never uses the SDK the cost is the pipes.
package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Server opens the channels of tool calls. The zero value is ready to use; its fields
// must not be changed once it is used.
type Server struct {
	// Downloads has the hosts that mcp_download_safe may use, in addition to those that a tool allows itself.
	Downloads fetch.Hosts
	// Log gets internal errors; nil for none.
	Log *slog.Logger

	spare    spare
	patience time.Duration // overrides the constant, for tests; 0: the constant
}

// A Call has what the channel of one tool call needs to answer helpers. Only Dir is
// required. A nil func means that the client does not support it, and helpers report that.
// The funcs may be called from several goroutines at once, never after [Channel.End] has
// returned, and must return soon after their context has ended.
type Call struct {
	// Dir is a folder that exists and is private to this call; an absolute path. Long
	// values are passed in files there whose names begin with "sdk.".
	Dir string
	// Args and Meta are the arguments and _meta of the request; nil means {}.
	Args, Meta json.RawMessage
	// Progress sends progress to the client. The func fills in the token, and decides
	// whether a value is an increase and may be sent (P-02). Progress and Total are
	// numbers as the tool wrote them, Total nil if unknown.
	Progress func(context.Context, mcp.ProgressParams) error
	// Alive is called when a command that the tool runs is alive, though it has not reported
	// progress that could be sent; it may be nil.
	Alive func()
	// Log sends a log message to the client. Data is a json.RawMessage.
	Log func(context.Context, mcp.LogParams) error
	// Ask sends questions to the client, all at once, and returns their answers in the same
	// order, when the last has come. Params are those of revision 2025-11-25, for a form
	// without its mode; the func converts them for other revisions (EL-03, EL-05, EL-09).
	Ask func(ctx context.Context, questions ...Question) []Answer
	// Patient disables the timeouts of questions that scripts set.
	Patient bool
	// Supports reports whether the client has a capability: roots, sampling,
	// sampling.tools, sampling.context, elicitation (of forms), elicitation.url, ui (MCP
	// Apps, AP-01) or tasks.
	Supports func(capability string) bool
	// Roots returns the folders that the client works in, as paths.
	Roots func(context.Context) ([]string, error)
	// MissingCapability means that the client's revision has an error code for a missing
	// capability (N-07). Otherwise a result with isError is used.
	MissingCapability bool
	// Confine runs the server's own work on files that the tool names under the rules of the
	// tool's sandbox; nil for none. NoNetwork means that these rules forbid the network.
	Confine   func(func() error) error
	NoNetwork bool
}

// A Question is a request that a tool has for the client.
type Question struct {
	Key    string          // the script's name for it; may be empty
	Method string          // elicitation/create, sampling/createMessage or roots/list
	Params json.RawMessage // an object
}

// An Answer is the outcome of a question: a result or an error.
type Answer struct {
	Result json.RawMessage
	Err    error // wraps [ErrUnsupported] if the client does not support the question
}

// ErrUnsupported is the error of an Answer to a question that the client does not support.
var ErrUnsupported = errors.New("the client does not support it")

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}
