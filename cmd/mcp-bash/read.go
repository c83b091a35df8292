package main

import (
	"context"

	"github.com/spf13/cobra"
)

func readCommand(p program) *cobra.Command {
	return p.asks(&cobra.Command{
		Use:   "read URI",
		Short: "Read a resource and print its contents",
		Long: `Read a resource as a client would and print its contents: text as it is, and binary
contents as bytes where stdout is not a terminal.`,
		Example: `  mcp-bash read file:///srv/notes/today.md
  mcp-bash read file:///srv/logo.png >logo.png
  mcp-bash read memo://insights --json -- npx some-server`,
		ValidArgsFunction: p.completeResources,
	}, 1, 1, "one URI", func(a *clientCommand, words []string) (func(context.Context) error, error) {
		return func(ctx context.Context) error { return a.Read(ctx, words[0]) }, nil
	})
}
