package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// chainCommand prints the list of stages.
func chainCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "chain",
		Short: "List the stages that every message passes",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
			for _, stage := range server.Stages(server.Options{}) {
				fmt.Fprintf(w, "%s\t%s\n", stage.Name, doors(stage))
			}
			return w.Flush()
		},
	}
}

func doors(m pipeline.Middleware) string {
	switch {
	case m.Outbound == nil:
		return "in"
	case m.Inbound == nil:
		return "out"
	}
	return "in, out"
}
