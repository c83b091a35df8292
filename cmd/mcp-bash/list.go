package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
)

func listCommand(p program) *cobra.Command {
	return p.asks(&cobra.Command{
		Use:   "list [tools|resources|templates|prompts|interceptors]",
		Short: "List what a server offers",
		Long: `List what clients see: tools with their arguments, resources, templates of resources, and prompts; and the
interceptors of a project, which clients see if it lends them.`,
		Example: `  mcp-bash list
  mcp-bash list tools --json
  mcp-bash list prompts -- npx some-server`,
		ValidArgs: ask.KindNames(),
	}, 0, 1, "one kind at most", func(a *clientCommand, words []string) (func(context.Context) error, error) {
		a.lends = len(words) == 1 && words[0] == "interceptors"
		return func(ctx context.Context) error { return a.List(ctx, words) }, ask.CheckKind(words)
	})
}
