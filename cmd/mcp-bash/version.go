package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what the program calls itself, in serverInfo for projects without
// a version of their own too. It goes on from the Bash program's: projects ask
// for at least a version of that.
const version = "2.0.0"

func versionCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := "mcp-bash " + version
			if info, ok := debug.ReadBuildInfo(); ok {
				text += " (" + info.GoVersion + ")"
			}
			_, err := fmt.Fprintln(p.out, text)
			return err
		},
	}
}
