package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// jqCommand is jq, for scripts on machines that have none.
func jqCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:                "jq FILTER [FILE...]",
		Short:              "Run a jq filter over JSON",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			p.exit(jq.Main(args, p.in, p.out, p.err, p.environ))
			return nil
		},
	}
}
