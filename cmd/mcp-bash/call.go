package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

func callCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	var timeout float64
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value | key:=json]...",
		Short: "Call a tool and print what it answers",
		Long: `Call a tool as a client would: through the same stages, checks and limits. A value is
text, unless the tool's schema gives it another type; after := it is JSON.
Logs, progress and questions of the tool are shown on the terminal.

On a terminal the result is printed as text, elsewhere and with --json as JSON. The exit
code is 1 for a result with isError and for a call that is refused.`,
		Example: `  mcp-bash call hello name=you
  mcp-bash call resize file=photo.png width=800 tags:='["a","b"]'
  mcp-bash call search query=mcp --revision 2026-07-28
  mcp-bash call add a=1 b=2 -- npx some-server`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.completeCall,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := a.words(cmd, args, 1, -1, "the name of a tool")
			if err != nil {
				return err
			}
			if err := checkTimeout(cmd, timeout); err != nil {
				return err
			}
			if _, err := argumentWords(words[1:], nil); err != nil {
				return usageError{err}
			}
			return a.ask(func(ctx context.Context) error { return a.call(ctx, words[0], words[1:], timeout) })
		},
	}
	a.flags(cmd)
	cmd.Flags().Float64Var(&timeout, "timeout", 0, "`seconds` it may run, instead of its own timeout")
	return cmd
}

// checkTimeout refuses a --timeout that is not a time.
func checkTimeout(cmd *cobra.Command, secs float64) error {
	if cmd.Flags().Changed("timeout") && !(secs > 0 && !math.IsInf(secs, 1)) {
		return usageError{fmt.Errorf("--timeout %g: write a number of seconds above 0", secs)}
	}
	return nil
}

// toolCall returns the params of a call that asks for progress. A timeout of 0 means the tool's own.
func toolCall(tool string, arguments any, timeout float64) map[string]any {
	params := map[string]any{"name": tool, "arguments": arguments, "_meta": map[string]any{"progressToken": 1}}
	if timeout > 0 {
		params["timeoutSecs"] = timeout
	}
	return params
}

func (a *clientCommand) call(ctx context.Context, tool string, words []string, timeout float64) error {
	arguments, err := a.arguments(ctx, tool, words)
	if err != nil {
		return err
	}
	result, err := a.session.Call(ctx, "tools/call", toolCall(tool, arguments, timeout))
	a.people.leave()
	if err != nil {
		return err
	}
	failed, err := a.printResult(tool, result)
	if failed {
		a.exit(1)
	}
	return err
}

// printResult prints the result of a tool: its text for people, otherwise the whole result. It
// reports whether the tool has failed.
func (a *clientCommand) printResult(tool string, result json.RawMessage) (failed bool, err error) {
	var r struct {
		Content           []block
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return false, fmt.Errorf("the result of %s: %w", tool, err)
	}
	if a.json || !a.atTerminal && !a.asText {
		return r.IsError, a.raw(result)
	}
	for _, b := range r.Content {
		a.write(b.text())
	}
	if len(r.Content) == 0 && r.StructuredContent != nil {
		return r.IsError, a.raw(r.StructuredContent)
	}
	return r.IsError, nil
}

// arguments parses the words of a command line as arguments of a tool.
func (a *clientCommand) arguments(ctx context.Context, tool string, words []string) (map[string]any, error) {
	types, err := a.argumentTypes(ctx, tool)
	if err != nil {
		return nil, err
	}
	arguments, err := argumentWords(words, types)
	if err != nil {
		return nil, usageError{err}
	}
	return arguments, nil
}

// argumentTypes returns the types that a tool's schema gives its arguments.
// A tool that is not listed has no types: the call reports what is wrong.
func (a *clientCommand) argumentTypes(ctx context.Context, tool string) (map[string]any, error) {
	tools, err := a.all(ctx, "tools/list", "tools")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range tools {
		var i listItem
		if err := json.Unmarshal(t, &i); err != nil {
			continue // a broken schema of another tool does not concern this call
		}
		if names = append(names, i.Name); i.Name != tool {
			continue
		}
		types := map[string]any{}
		for name, p := range i.InputSchema.Properties {
			types[name] = p.Type
		}
		return types, nil
	}
	if meant := suggest.Of(tool, names); meant != "" {
		return nil, usageError{fmt.Errorf("no tool is called %q; did you mean %s?", tool, meant)}
	}
	return nil, nil
}
