package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func callCommand(p program) *cobra.Command {
	var timeout float64
	var cmd *cobra.Command
	cmd = p.asks(&cobra.Command{
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
		ValidArgsFunction: p.completeCall,
	}, 1, -1, "the name of a tool", func(a *clientCommand, words []string) (func(context.Context) error, error) {
		if err := checkTimeout(cmd, timeout); err != nil {
			return nil, err
		}
		_, err := ask.ParseArguments(words[1:], nil)
		return func(ctx context.Context) error {
			failed, err := a.Call(ctx, words[0], words[1:], timeout)
			if failed {
				p.exit(1)
			}
			return err
		}, err
	})
	cmd.Flags().Float64Var(&timeout, "timeout", 0, "`seconds` it may run, instead of its own timeout")
	return cmd
}

// checkTimeout refuses a --timeout that is not a time.
func checkTimeout(cmd *cobra.Command, secs float64) error {
	if cmd.Flags().Changed("timeout") && !(secs > 0 && !math.IsInf(secs, 1)) {
		return console.Usagef("--timeout %g: write a number of seconds above 0", secs)
	}
	return nil
}
