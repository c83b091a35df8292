package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
)

func getCommand(p program) *cobra.Command {
	return p.asks(&cobra.Command{
		Use:   "get PROMPT [key=value]...",
		Short: "Get a prompt with its arguments filled in",
		Example: `  mcp-bash get review language=go
  mcp-bash get review language=go --json`,
		Long:              `Get a prompt as a client would and print its messages.`,
		ValidArgsFunction: p.completePrompts,
	}, 1, -1, "the name of a prompt", func(a *clientCommand, words []string) (func(context.Context) error, error) {
		arguments, err := ask.ParseTexts(words[1:])
		return func(ctx context.Context) error { return a.Get(ctx, words[0], arguments) }, err
	})
}
