package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// chainCommand returns the command that prints the list of stages.
func chainCommand(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "chain",
		Short:   "List the stages that every message passes",
		Example: "  mcp-bash chain --json | mcp-bash jq -r '.[].name'",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				stages := []chainStage{}
				for _, stage := range server.Stages(server.Options{}) {
					stages = append(stages, chainStage{stage.Name, stage.Inbound != nil, stage.Outbound != nil})
				}
				return p.console(p.out).JSON(stages)
			}
			w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
			for _, stage := range server.Stages(server.Options{}) {
				fmt.Fprintf(w, "%s\t%s\n", stage.Name, doors(stage))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the stages as JSON")
	return cmd
}

// A chainStage is a stage, as JSON.
type chainStage struct {
	Name     string `json:"name"`
	Inbound  bool   `json:"in"`  // it sees what the client sends
	Outbound bool   `json:"out"` // it sees what is sent to the client
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
