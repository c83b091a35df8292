package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	ourjson "github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// Call calls a tool with arguments as JSON, or with those in the words of a command line if that is nil, and prints the
// result. It reports whether the tool has failed. A timeout of 0 means the tool's own.
func (a *Client) Call(ctx context.Context, tool string, arguments json.RawMessage, words []string, timeout float64) (
	failed bool, err error,
) {
	params := map[string]any{"name": tool, "arguments": arguments, "_meta": map[string]any{"progressToken": 1}}
	if arguments == nil {
		if params["arguments"], err = a.ToolArguments(ctx, tool, words); err != nil {
			return false, err
		}
	}
	if timeout > 0 {
		params["timeoutSecs"] = timeout
	}
	result, err := a.Server.Call(ctx, "tools/call", params)
	a.People.Leave()
	if refused := (*jsonrpc2.Error)(nil); errors.As(err, &refused) {
		if a.Named && !a.readsText() {
			answer := map[string]any{"_mcpToolError": true, "code": refused.Code, "message": refused.Message,
				"data": refused.Data}
			if err := a.Print(json.Marshal(answer)); err != nil {
				return false, err
			}
		}
		return false, a.UnknownTool(ctx, tool, err)
	}
	if err != nil {
		return false, err
	}
	return a.printResult(tool, result)
}

// readsText reports whether results of tools are printed as text.
func (a *Client) readsText() bool { return !a.JSON && (a.Terminal || a.AsText) }

// printResult prints the result of a tool: its text for people, otherwise the whole result. It
// reports whether the tool has failed.
func (a *Client) printResult(tool string, result json.RawMessage) (failed bool, err error) {
	var r struct {
		Content           []block
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return false, fmt.Errorf("the result of %s: %w", tool, err)
	}
	if !a.readsText() {
		if a.Named {
			result, _ = ourjson.Set(result, "name", ourjson.Quote(tool))
		}
		return r.IsError, a.raw(result)
	}
	for _, b := range r.Content {
		a.Write(b.text())
	}
	if len(r.Content) == 0 && r.StructuredContent != nil {
		err = a.raw(r.StructuredContent)
	}
	if r.IsError {
		a.Messages.Fail("the tool has failed")
	}
	return r.IsError, err
}

// UnknownTool returns the refusal of a call, or an error that names the tools there are, if none has that name.
func (a *Client) UnknownTool(ctx context.Context, tool string, refusal error) error {
	tools, err := a.items(ctx, "tools")
	if _, exists := tools[tool]; err != nil || exists { // something else was refused
		return refusal
	}
	return fmt.Errorf("no tool is called %q; %s", tool, Instead(tool, slices.Sorted(maps.Keys(tools))))
}

// Instead suggests the tool that may be meant by an unknown name.
func Instead(name string, tools []string) string {
	const most = 10 // names listed
	switch meant := suggest.Of(name, tools); {
	case meant != "":
		return "did you mean " + meant + "?"
	case len(tools) == 0:
		return "there are none; `mcp-bash scaffold tool NAME` makes one"
	case len(tools) > most:
		return "there are " + strings.Join(tools[:most], ", ") + " and others"
	}
	return "there is " + strings.Join(tools, ", ")
}

// ToolArguments parses the words of a command line as arguments of a tool, whose schema says what type
// each has. Without such a tool they have no types: the call reports what is wrong.
func (a *Client) ToolArguments(ctx context.Context, tool string, words []string) (map[string]any, error) {
	tools, err := a.items(ctx, "tools")
	if err != nil {
		return nil, err
	}
	types := map[string]any{}
	for name, p := range tools[tool].InputSchema.Properties {
		types[name] = p.Type
	}
	return ParseArguments(words, types)
}

// items returns the items of a kind by what they are requested by, as far as they can be read: a broken
// one does not concern the others.
func (a *Client) items(ctx context.Context, kind string) (map[string]Item, error) {
	at := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == kind })
	listed, err := a.Items(ctx, Kinds[at])
	if err != nil {
		return nil, err
	}
	all := map[string]Item{}
	for _, text := range listed {
		var i Item
		if json.Unmarshal(text, &i) == nil {
			all[i.Key()] = i
		}
	}
	return all, nil
}
