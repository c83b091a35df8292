package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
)

func listCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	cmd := &cobra.Command{
		Use:   "list [tools|resources|templates|prompts]",
		Short: "List what a server offers",
		Long:  `List what clients see: tools with their arguments, resources, templates of resources, and prompts.`,
		Example: `  mcp-bash list
  mcp-bash list tools --json
  mcp-bash list prompts -- npx some-server`,
		ValidArgs: ask.KindNames(),
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := a.words(cmd, args, 0, 1, "one kind at most")
			if err != nil {
				return err
			}
			if err := ask.CheckKind(words); err != nil {
				return err
			}
			return a.ask(func(ctx context.Context) error { return a.List(ctx, words) })
		},
	}
	a.flags(cmd)
	return cmd
}
