package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

func newCommand(p program) *cobra.Command {
	var noHello, asJSON bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a project in a new folder",
		Long: `New makes a folder with a project in it: who the server is (server.d/server.meta.json),
a tool to try (tools/hello), and a README. Then it prints the commands to type next.

The folder is made in the current one, or in that of -C. It must not exist yet: for one
that does, there is mcp-bash init.`,
		Example: `  mcp-bash new weather
  mcp-bash new weather --no-hello`,
		Args: one("name"),
		RunE: func(_ *cobra.Command, args []string) error {
			parent, err := p.folder()
			if err != nil {
				return err
			}
			plan, err := scaffold.New(parent.Path, args[0], !noHello)
			if err != nil {
				return err
			}
			parent.Named = false // a cd to it is printed
			return p.makes(plan, parent, asJSON)
		},
	}
	cmd.Flags().BoolVar(&noHello, "no-hello", false, "without the tool hello")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was made as JSON")
	return cmd
}

// folder returns the folder of -C, or else the current folder, whether it is a project or not.
func (p program) folder() (scaffold.Place, error) {
	at := *p.projectRoot
	if at == "" {
		here, err := os.Getwd()
		return scaffold.Place{Path: here}, err
	}
	return scaffold.PlaceAt(at, true)
}
