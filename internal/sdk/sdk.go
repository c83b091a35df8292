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
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/filter"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Server opens the channels of tool calls. The zero value is ready; its fields are not
// changed once it is used.
type Server struct {
	// Downloads says where mcp_download_safe may go, beside what a tool allows itself.
	Downloads fetch.Hosts
	// Log is told of faults of our own; nil: nobody is.
	Log *slog.Logger

	filters  filter.Cache
	spare    spare
	patience time.Duration // in place of the constant, for tests; 0: not
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
	// ReadByCaller says that the caller reads what the tool writes to the channel, and passes it on:
	// see [Channel.Requests]. Otherwise a goroutine of the channel does.
	ReadByCaller bool
	// Alive is told that a command that the tool runs goes on, though it has said nothing
	// that could be told; nil: nobody is.
	Alive func()
	// Log tells the client something. Data is a json.RawMessage.
	Log func(context.Context, mcp.LogParams) error
	// Ask puts questions to the client, all at once, and returns as many answers in their
	// order, when the last has come. What params hold is as revision 2025-11-25 wants it,
	// a form without its mode; a func that serves other revisions changes what they do
	// otherwise (EL-03, EL-05, EL-09).
	Ask func(ctx context.Context, questions ...Question) []Answer
	// Patient says that answers come when they do: how long a script would wait for them
	// does not count.
	Patient bool
	// Supports reports whether the client has a capability: roots, sampling,
	// sampling.tools, sampling.context, elicitation (of forms), elicitation.url, ui (MCP
	// Apps, AP-01) or tasks.
	Supports func(capability string) bool
	// Roots returns the folders that the client works in, as paths.
	Roots func(context.Context) ([]string, error)
	// MissingCapability says that the client's revision has an error for a capability that
	// it lacks (N-07). Without it that is a result with isError.
	MissingCapability bool
	// Confine runs what the server does to files that the tool names, under the rules that hold
	// for the tool; nil: there are none. NoNetwork says that they keep it off the network.
	Confine   func(func() error) error
	NoNetwork bool
}

// A Question is a request that a tool has for the client.
type Question struct {
	Key    string          // what the script calls it; "" if it does not
	Method string          // elicitation/create, sampling/createMessage or roots/list
	Params json.RawMessage // an object
}

// An Answer is what became of a question: a result or an error.
type Answer struct {
	Result json.RawMessage
	Err    error // that is [ErrUnsupported] for what the client cannot do
}

// ErrUnsupported is the error of an Answer to what the client cannot do.
var ErrUnsupported = errors.New("the client does not support it")

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}
