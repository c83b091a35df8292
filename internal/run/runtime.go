// Package run runs one call of a tool: it gives the script its arguments,
// variables and files, listens while it works, and makes a result of what it
// leaves. What a script may rely on stands in environment.go, what becomes of
// its output in result.go.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Runtime runs tools, any number of calls at the same time. Its fields are
// not changed once it is used.
type Runtime struct {
	Runner  *script.Runner
	Root    string   // the project's folder: where tools run
	State   string   // a private folder of the server, for the folders of calls
	Env     []string // what all tools get; see Environment
	Schemas *Schemas
	Limits  Limits
	Stderr  io.Writer // also gets what tools write to stderr; nil: nobody does
	Log     *slog.Logger

	SDK    *sdk.Server            // answers the helpers of the SDK
	SDKDir func() (string, error) // where the SDK lies: MCP_SDK; put there at the first call

	// Reuse keeps the folder of a call for the next one. It needs a Runner that
	// has adopted its descendants, so that none of an earlier call is left to
	// write there.
	Reuse bool
	// Keep leaves the folder of each call in State, for people to look into.
	Keep bool

	folders folders
}

// Limits bound a call where the tool's metadata says nothing else. The zero
// value takes the defaults.
type Limits struct {
	Timeout          time.Duration // how long a tool may run; 0: for ever
	Extended         time.Duration // how long at most where progress extends it; 0: 600 s
	ExtendOnProgress bool          // progress starts the timeout anew
	Output           int           // bytes of stdout that are kept; 0: 10 MiB
	StderrTail       int           // bytes of stderr that are told; 0: 4096
	Inline           int           // bytes of arguments that go into a variable, more into a file; 0: 64 KiB
}

const (
	defaultExtended   = 600 * time.Second
	defaultOutput     = 10 << 20
	defaultStderrTail = 4 << 10
	defaultInline     = 64 << 10
)

// A Call is one use of a tool.
type Call struct {
	Tool      *project.Tool
	Arguments json.RawMessage // an object, as the client sent it; nil for none
	Meta      json.RawMessage // _meta of the request; nil for none
	Revision  *mcp.Revision
	Timeout   *time.Duration // asked for by the client; nil: it did not
	Roots     []roots.Root   // the folders that the client works in

	// Ask, Patient, Supports and MissingCapability are those of [sdk.Call]. A func
	// that is nil says that the client can do nothing. While the client is asked,
	// the tool's time stands still.
	Ask               func(ctx context.Context, questions ...sdk.Question) []sdk.Answer
	Patient           bool
	Supports          func(capability string) bool
	MissingCapability bool
	// AskRoots asks the client for its folders when the tool wants to know them;
	// nil: they are Roots.
	AskRoots func(context.Context) []roots.Root

	// Progress and Log are told what the tool says while it works, in order,
	// and never after Call has returned. The token is for Progress to fill in.
	Progress func(mcp.ProgressParams)
	Log      func(mcp.LogParams)
}

// Call runs the tool and returns what its client gets. Whatever goes wrong in
// the tool is a result with isError (T-06); the error is the one that the tool
// wrote to MCP_TOOL_ERROR_FILE as a *jsonrpc2.Error, the cause of ctx when that
// ended first, or that the server could not do its part.
func (r *Runtime) Call(ctx context.Context, c Call) (*mcp.CallToolResult, error) {
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	if refused := r.checkArguments(c); refused != nil {
		return refused, nil
	}
	folder, err := r.takeFolder()
	if err != nil {
		return nil, err
	}
	o := outcome{
		call:   c,
		stdout: script.Head{Limit: int(or(c.Tool.MaxOutputBytes, int64(or(r.Limits.Output, defaultOutput))))},
		stderr: script.Tail{Limit: or(r.Limits.StderrTail, defaultStderrTail)},
	}
	defer func() { r.putFolder(folder, len(o.ended.Left) > 0) }()
	env, err := r.environment(c, folder)
	if err != nil {
		return nil, err
	}
	clock := r.startClock(ctx, c)
	defer clock.stop()
	listener := r.newListener(c, clock)
	running, release := folder.markCancelled(clock.context)
	channel, err := r.openChannel(running, c, folder, listener)
	if err != nil {
		release()
		return nil, err
	}
	folder.stream.listen(listener)
	program, args := program(c.Tool)
	o.ended, o.err = r.Runner.Run(running, script.Command{
		Path:   program,
		Args:   args,
		Dir:    or(c.Tool.Cwd, r.Root),
		Env:    append(env, channel.Env()...),
		Stdout: &o.stdout,
		Stderr: r.tee(&o.stderr),

		ExtraFiles: channel.Files(),
	})
	release()
	channel.Close()
	folder.stream.stop()
	if ctx.Err() != nil && errors.Is(o.err, context.Cause(ctx)) {
		return nil, context.Cause(ctx)
	}
	if len(o.ended.Left) > 0 {
		r.Log.Warn("processes of a tool could not be ended", "tool", c.Tool.Name, "pids", o.ended.Left)
	}
	if fault := folder.fault(or(r.Limits.Output, defaultOutput)); fault != nil {
		return nil, fault
	}
	result, err := r.result(&o)
	if err == nil {
		r.embed(&o, folder, result)
	}
	return result, err
}

// tee passes what is written to w on to the server's stderr, if it wants it.
func (r *Runtime) tee(w io.Writer) io.Writer {
	if r.Stderr == nil {
		return w
	}
	return io.MultiWriter(w, r.Stderr)
}

// or returns v, or the default where v is zero.
func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
