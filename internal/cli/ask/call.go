package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// ToolCall returns the params of a call that asks for progress. A timeout of 0 means the tool's own.
func ToolCall(tool string, arguments any, timeout float64) map[string]any {
	params := map[string]any{"name": tool, "arguments": arguments, "_meta": map[string]any{"progressToken": 1}}
	if timeout > 0 {
		params["timeoutSecs"] = timeout
	}
	return params
}

// Call calls a tool with arguments as in a command line, and prints the result. It reports whether the
// tool has failed. A timeout of 0 means the tool's own.
func (a *Client) Call(ctx context.Context, tool string, words []string, timeout float64) (failed bool, err error) {
	arguments, err := a.ToolArguments(ctx, tool, words)
	if err != nil {
		return false, err
	}
	result, err := a.Server.Call(ctx, "tools/call", ToolCall(tool, arguments, timeout))
	a.People.Leave()
	if err != nil {
		return false, err
	}
	return a.PrintResult(tool, result)
}

// PrintResult prints the result of a tool: its text for people, otherwise the whole result. It
// reports whether the tool has failed.
func (a *Client) PrintResult(tool string, result json.RawMessage) (failed bool, err error) {
	var r struct {
		Content           []block
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return false, fmt.Errorf("the result of %s: %w", tool, err)
	}
	if a.JSON || !a.Terminal && !a.AsText {
		return r.IsError, a.raw(result)
	}
	for _, b := range r.Content {
		a.Write(b.text())
	}
	if len(r.Content) == 0 && r.StructuredContent != nil {
		return r.IsError, a.raw(r.StructuredContent)
	}
	return r.IsError, nil
}

// ToolArguments parses the words of a command line as arguments of a tool, whose schema says what type
// each has. Without such a tool they have no types: the call reports what is wrong.
func (a *Client) ToolArguments(ctx context.Context, tool string, words []string) (map[string]any, error) {
	tools, err := a.items(ctx, "tools")
	if err != nil {
		return nil, err
	}
	types := map[string]any{}
	if t, ok := tools[tool]; ok {
		for name, p := range t.InputSchema.Properties {
			types[name] = p.Type
		}
	} else if meant := suggest.Of(tool, slices.Sorted(maps.Keys(tools))); meant != "" {
		return nil, console.Usagef("no tool is called %q; did you mean %s?", tool, meant)
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
