package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// version is that of the server.
const version = server.Version

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
