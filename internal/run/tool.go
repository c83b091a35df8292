package run

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Call is one use of a tool.
type Call struct {
	// Call is what the client has sent, and what it can be asked; the SDK's channel
	// answers from it. Args is an object as the client sent it; nil for none.
	// Progress and Log are called with what the tool reports while it runs, in order,
	// one at a time, and never after Call has returned. If Roots is nil, Folders are
	// used; Dir is filled in.
	sdk.Call

	Tool     *catalog.Tool
	Revision *mcp.Revision
	Timeout  *time.Duration // asked for by the client; nil: not
	Folders  []roots.Root   // that the client works in, as far as it is known
	// Later runs work that can be done after the result is sent. Nil: it is done before.
	Later func(func())
}

// Call runs the tool and returns what its client gets. Whatever goes wrong in the
// tool is a result with isError (T-06). The error is what the tool wrote to
// MCP_TOOL_ERROR_FILE, as a *jsonrpc2.Error, the cause of ctx when that ended
// first, or a failure of the server itself.
func (r *Runtime) Call(ctx context.Context, c Call) (*mcp.CallToolResult, error) {
	if len(c.Args) == 0 {
		c.Args = json.RawMessage("{}")
	}
	refused, converted := r.checkArguments(ctx, &c)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if refused != nil {
		return refused, nil
	}
	if missing := r.resolveProgram(&c); missing != nil {
		return failure("Tool failed: " + missing.Error()), nil
	}
	folder, err := r.takeFolder()
	if e := process.Scarce(c.Tool.Path, err); e != nil {
		r.noRoom()
		return failure("Tool failed: " + e.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	later := c.Later
	if later == nil {
		later = func(f func()) { f() }
	}
	defer later(func() { r.putFolder(folder) })
	env, err := r.environment(c, folder)
	if err != nil {
		return nil, err
	}
	rules, env, err := r.caged(c, folder, env)
	if err != nil {
		return nil, err
	}
	args, stdin, refused, err := c.commandLine(folder)
	if refused != nil || err != nil {
		return refused, err
	}
	o := finished{call: c, listener: &listener{context: ctx, call: c, log: r.Log, trace: mcp.TraceOf(c.Meta)}}
	client := c.Call
	client.Dir, client.Progress, client.Log = folder.path, o.listener.progress, o.listener.message
	if rules != nil {
		client.Confine, client.NoNetwork = rules.Do, !rules.Network
	}
	if client.Roots == nil {
		client.Roots = func(context.Context) ([]string, error) { return roots.Paths(c.Folders), nil }
	}
	o.outcome = r.execute(ctx, job{
		path: c.Tool.Path, args: args, stdin: stdin, dir: c.Tool.Cwd, env: env, limits: c.Tool.Limits,
		times: r.Limits.times(c), output: int(c.Tool.MaxOutputBytes),
		folder: folder, client: &client, listener: o.listener, cage: rules, later: c.Later,
	})
	if ctx.Err() != nil && errors.Is(o.err, context.Cause(ctx)) {
		return nil, context.Cause(ctx)
	}
	if fault := folder.fault(cmp.Or(r.Limits.Output, defaultOutput)); fault != nil {
		return nil, fault
	}
	result, err := r.result(ctx, &o)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.embed(&o, folder, rules, result)
	if converted > 0 {
		if result.Meta == nil {
			result.Meta = map[string]any{}
		}
		result.Meta["converted"] = converted
	}
	return result, nil
}

// Bound returns a context for a call that runs elsewhere, and the call to run there. The context ends when the call
// takes longer than its limits allow, by margin. release must be called.
func (l Limits) Bound(ctx context.Context, c Call, margin time.Duration) (
	bound context.Context, _ Call, release func()) {
	t := l.times(c)
	if t.limit > 0 {
		t.limit += margin
	}
	if t.most > 0 {
		t.most += margin
	}
	k := startClock(ctx, t)
	c.Call = k.pausedWhileAsking(c.Call)
	progress := c.Progress
	c.Progress = func(ctx context.Context, p mcp.ProgressParams) error {
		k.progress()
		if progress == nil {
			return nil
		}
		return progress(ctx, p)
	}
	return k.context, c, k.stop
}

// times returns the time limits of a call: as set by the client, else the tool,
// else the server.
func (l Limits) times(c Call) times {
	t := times{limit: l.Timeout, extends: l.ExtendOnProgress, most: cmp.Or(l.Extended, defaultExtended)}
	if c.Tool.Timeout != nil {
		t.limit = *c.Tool.Timeout
	}
	if c.Timeout != nil {
		t.limit = *c.Timeout
	}
	if c.Tool.ProgressExtendsTimeout != nil {
		t.extends = *c.Tool.ProgressExtendsTimeout
	}
	if c.Tool.MaxTimeout != nil {
		t.most = *c.Tool.MaxTimeout
	}
	return t
}
