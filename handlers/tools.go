package handlers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Catalog finds tools.
type Catalog interface {
	Tools(context.Context) (Snapshot[*Tool], error)
	Tool(ctx context.Context, name string) (*Tool, error) // or ErrUnknownTool
}

// A Policy decides which tools may be listed and called. Its errors are sent to the client.
type Policy interface {
	// Refusal returns why a tool may not be called, as far as that is known at once; nil if it is
	// listed.
	Refusal(tool string) error
	// Barred returns why all tools are refused, and so none is listed; nil if they are not.
	Barred() error
	// Check returns why a listed tool may not be called now. It may run a script.
	Check(ctx context.Context, tool string, metadata []byte) error
}

// Tools lists and calls tools.
type Tools struct {
	Session *mcp.Session
	Catalog Catalog
	Policy  Policy
	Roots   *ClientRoots
	// Run runs one call.
	Run func(context.Context, ToolCall) (*mcp.CallToolResult, error)
	// Elsewhere is whether Run needs no slot, since the tools run in another process.
	Elsewhere bool
	Rounds    *Rounds
	Gates     *Gates // limit calls of tools that set a concurrency
	Logging   Logging
	Memory    *Memory // used by runs that outlive their requests
	// PageSize is how many tools a page has if the client does not ask for a number; 0: 100.
	PageSize int
	Pages    *Pages // nil: none are kept
}

// List answers tools/list: a page of the tools as the files are now, by name
// (T-01, T-15).
func (t Tools) List(ctx context.Context, p mcp.ListParams) (Page, error) {
	all := pager[*Tool]{
		name: "tools", find: t.Catalog.Tools, size: t.PageSize, pages: t.Pages,
		shown: func(tool *Tool) bool { return t.Policy.Refusal(tool.Name) == nil && missingScope(ctx, tool) == "" },
		some:  func(tool *Tool) bool { return tool.Settings != nil && tool.RequiredScopes != nil },
		item:  func(tool *Tool, r *mcp.Revision) any { return describe(tool).In(r) },
	}
	if t.Policy.Barred() != nil {
		all.shown, all.pages = func(*Tool) bool { return false }, nil // the cached pages list the tools that may be called
	}
	return all.page(ctx, p, mcp.TermsOf(ctx, t.Session).Revision())
}

// describe returns a tool as clients see it, without its place and how it is run.
func describe(t *Tool) mcp.Tool {
	return mcp.Tool{
		Name:         t.Name,
		Title:        t.Title,
		Description:  t.Description,
		Icons:        json.RawMessage(t.Icons),
		InputSchema:  json.RawMessage(t.InputSchema),
		OutputSchema: json.RawMessage(t.OutputSchema),
		Annotations:  json.RawMessage(t.Annotations),
		Meta:         json.RawMessage(t.Meta),
	}
}

// Call answers tools/call. A call that is malformed, or of a tool that does not
// exist, is an error (T-02, T-03); what goes wrong in the tool is a result
// (T-06).
//
// What is wrong with the call itself, and a refusal by the operator's lists, is returned in the
// turn of its message. Then it waits at the gate of its tool, if that has a concurrency, and then
// for a slot. With the slot it runs the project's policy and then the tool, so that a flood of
// calls does not start a flood of scripts.
//
// In a stateless revision the questions of a tool to its client become the answer, see [Rounds],
// and a call that takes long may become a task.
func (t Tools) Call(ctx context.Context, p mcp.CallToolParams) (mcp.Enveloped, error) {
	if err := checkCall(p); err != nil {
		return nil, err
	}
	found, err := t.Catalog.Tool(ctx, p.Name)
	if errors.Is(err, ErrUnknownTool) {
		return nil, pipeline.Errorf(-32602, "Unknown tool: %s", p.Name)
	} else if err != nil {
		return nil, err
	}
	if found.Settings == nil { // another catalog than ours need not set them
		plain := *found
		plain.Settings, found = &ToolSettings{}, &plain
	}
	if err := t.Policy.Refusal(found.Name); err != nil {
		return nil, err
	}
	if scope := missingScope(ctx, found); scope != "" {
		return nil, pipeline.Errorf(-32602, "Tool '%s' needs the scope %s, which the caller's token does not have",
			found.Name, scope)
	}
	terms := mcp.TermsOf(ctx, t.Session)
	call := ToolCall{
		Call:     ScriptClient{Args: nonNull(p.Arguments), Meta: nonNull(p.Meta)},
		Tool:     found,
		Revision: terms.Revision(),
		Timeout:  askedTimeout(p.TimeoutSecs),
	}
	this := roundCall{
		caller: mcp.CallerOf(ctx).ID, method: "tools/call", name: p.Name, arguments: call.Args, retry: p.RetryParams,
		allowed:   func(ctx context.Context) error { return t.Policy.Check(ctx, found.Name, metadata(found)) },
		elsewhere: t.Elsewhere, gates: t.Gates, concurrency: found.Concurrency, task: found.TaskSupport,
		token: run.ProgressToken(call.Meta), trace: mcp.TraceOf(call.Meta),
	}
	request, stateless := ctx, terms.Revision().Stateless
	return t.Rounds.do(ctx, terms, this, func(ctx context.Context, d dialog) (mcp.Enveloped, error) {
		ctx, release := t.detach(ctx, request)
		defer release()
		call.Ask, call.Supports, call.Patient, call.MissingCapability = d.Ask, d.Supports, stateless, stateless
		if stateless { // the run may outlive its request
			call.Folders, call.Roots = t.Roots.Fallback, askRoots(d, t.Roots)
		} else {
			call.Folders = t.Roots.Get(ctx)
			if pipeline.Turn(ctx) != nil {
				call.Later = func(f func()) { pipeline.Afterwards(request, func(context.Context) { f() }) }
			}
		}
		call.Progress = func(_ context.Context, n mcp.ProgressParams) error {
			d.Tell(func(r round.Request) { progress(r.Context, r.Token, n) })
			return nil
		}
		call.Log = func(_ context.Context, n mcp.LogParams) error {
			d.Tell(func(r round.Request) { t.Logging.Tell(r.Context, n) })
			return nil
		}
		return t.Run(ctx, call)
	})
}

// missingScope returns a scope that the caller of ctx lacks for a tool; "" if they may call it.
func missingScope(ctx context.Context, t *Tool) string {
	if t.Settings == nil {
		return ""
	}
	return mcp.MissingScope(ctx, t.RequiredScopes)
}

// progress reports to a client how far its call is, if it has sent a token for that (P-01).
func progress(ctx context.Context, token json.RawMessage, n mcp.ProgressParams) {
	if token != nil {
		n.ProgressToken = token
		pipeline.From(ctx).Notify(ctx, "notifications/progress", n)
	}
}

// metadata returns a tool's metadata as JSON.
func metadata(t *Tool) []byte {
	if t.Metadata == nil {
		return []byte(`{"name":"` + t.Name + `"}`)
	}
	return t.Metadata
}

// checkCall refuses a call whose params are malformed.
func checkCall(p mcp.CallToolParams) error {
	if p.Name == "" {
		return fmt.Errorf("%w: /name is missing: it names the tool to call", pipeline.ErrInvalidParams)
	}
	return checkObject("arguments", p.Arguments)
}

// nonNull returns v, nil for null.
func nonNull(v json.RawMessage) json.RawMessage {
	if string(v) == "null" {
		return nil
	}
	return v
}

// askedTimeout reads the limit that a client asks for, nil for anything but a
// positive number of seconds.
func askedTimeout(secs json.RawMessage) *time.Duration {
	var n float64
	if secs == nil || json.Unmarshal(secs, &n) != nil || n <= 0 || n > math.MaxInt32 {
		return nil
	}
	d := max(time.Duration(n*float64(time.Second)), 1) // 0 would be no limit
	return &d
}
