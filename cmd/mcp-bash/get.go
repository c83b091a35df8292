package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
)

func getCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	cmd := &cobra.Command{
		Use:   "get PROMPT [key=value]...",
		Short: "Get a prompt with its arguments filled in",
		Example: `  mcp-bash get review language=go
  mcp-bash get review language=go --json`,
		Long:              `Get a prompt as a client would and print its messages.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.completePrompts,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := a.words(cmd, args, 1, -1, "the name of a prompt")
			if err != nil {
				return err
			}
			arguments, err := ask.ParseTexts(words[1:])
			if err != nil {
				return err
			}
			return a.ask(func(ctx context.Context) error { return a.Get(ctx, words[0], arguments) })
		},
	}
	a.flags(cmd)
	return cmd
}
