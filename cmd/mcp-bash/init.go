package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/scaffold"
)

func initCommand(p program) *cobra.Command {
	var name string
	var noHello, asJSON bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make the current folder a project",
		Long: `Init makes what the current folder, or that of -C, lacks to be a project: who the server
is (server.d/server.meta.json), .gitignore, .gitattributes, and a tool to try (tools/hello)
where there are no tools. Files that exist are kept as they are, so it can be run again.`,
		Example: `  mcp-bash init
  mcp-bash init --name weather --no-hello`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := p.folder()
			if err != nil {
				return err
			}
			plan, err := scaffold.Init(root.path, name, !noHello)
			if err != nil {
				return refusal(err)
			}
			return p.makes(plan, root, asJSON)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`name` of the server (default: that of the folder)")
	cmd.Flags().BoolVar(&noHello, "no-hello", false, "without the tool hello")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was made as JSON")
	return cmd
}
