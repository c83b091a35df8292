package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// runTool is the name that call had in mcp-bash 1.3.0.
const runTool = "run-tool"

func callCommand(p program) *cobra.Command {
	var timeout float64
	var given string
	var here callHere
	var cmd *cobra.Command
	cmd = p.asks(&cobra.Command{
		Use:     "call TOOL [key=value | key:=json | {...}]...",
		Aliases: []string{runTool},
		Short:   "Call a tool and print what it answers",
		Long: `Call a tool as a client would: through the same stages, checks and limits. A value is
text, unless the tool's schema gives it another type; after := it is JSON. All arguments
may be one JSON object, also with --args.
Logs, progress and questions of the tool are shown on the terminal.

On a terminal the result is printed as text, elsewhere and with --json as JSON. The exit
code is 1 for a result with isError and for a call that is refused. Under its old name
run-tool, the JSON begins with the name of the tool, and a refusal is JSON too.`,
		Example: `  mcp-bash call hello name=you
  mcp-bash call resize file=photo.png width=800 tags:='["a","b"]'
  mcp-bash call report --args @args.json --roots . --timeout 120 --verbose
  mcp-bash call search query=mcp --revision 2026-07-28
  mcp-bash call add a=1 b=2 -- npx some-server`,
		ValidArgsFunction: p.completeCall,
	}, 1, -1, "the name of a tool", func(a *clientCommand, words []string) (func(context.Context) error, error) {
		if err := checkSeconds("--timeout", timeout); cmd.Flags().Changed("timeout") && err != nil {
			return nil, err
		}
		tool, words := words[0], words[1:]
		object := cmd.Flags().Changed("args")
		if !object && len(words) == 1 && strings.HasPrefix(words[0], "{") {
			object, given, words = true, words[0], nil
		}
		_, err := ask.ParseArguments(words, nil)
		var arguments json.RawMessage
		if object {
			if len(words) > 0 {
				return nil, console.Usagef("give the arguments with --args, or as key=value, not both")
			}
			arguments, err = readArguments(given, p.in)
		}
		if err != nil {
			return nil, err
		}
		a.Named = cmd.CalledAs() == runTool
		if done, err := here.prepare(a, tool, len(arguments), timeout); done || err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			failed, err := a.Call(ctx, tool, arguments, words, timeout)
			if failed {
				p.exit(1)
			}
			return err
		}, nil
	})
	f := cmd.Flags()
	f.StringVar(&given, "args", "", "all arguments as a JSON object, @`FILE`, or - for stdin")
	f.Float64Var(&timeout, "timeout", 0, "`seconds` it may run, instead of its own timeout")
	here.flags(f)
	return cmd
}

// checkSeconds refuses seconds that are not above 0, or too many to be counted.
func checkSeconds(flag string, secs float64) error {
	if !(secs > 0 && secs <= 1e9) {
		return console.Usagef("%s %g: write a number of seconds above 0, up to 1000000000", flag, secs)
	}
	return nil
}

// readArguments returns the JSON object of --args.
func readArguments(given string, stdin io.Reader) (json.RawMessage, error) {
	text, from := []byte(given), "--args"
	var err error
	switch path, isFile := strings.CutPrefix(given, "@"); {
	case isFile:
		from = path
		text, err = os.ReadFile(path)
	case given == "-":
		from = "stdin"
		text, err = io.ReadAll(stdin)
	}
	if err != nil {
		return nil, console.Usagef("--args: %w", err)
	}
	const wanted = `%s must be a JSON object, as in --args '{"name":"you"}'`
	if json.Value(text).Kind() != '{' {
		return nil, console.Usagef(wanted, from)
	}
	var object map[string]json.Value
	if err := json.Unmarshal(text, &object, json.AllowInvalidUTF8(true)); err != nil {
		return nil, console.Usagef(wanted+": %s", from, jsonError(err))
	}
	return text, nil
}

// jsonError describes where a text is not valid JSON.
func jsonError(err error) string {
	if fault := (*json.SyntacticError)(nil); errors.As(err, &fault) {
		return fmt.Sprintf("%v at byte %d", fault.Err, fault.ByteOffset+1)
	}
	return err.Error()
}
