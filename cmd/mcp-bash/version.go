package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// version is the version of the server.
const version = server.Version

func versionCommand(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			built := build{Version: version, System: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				built.Go = info.GoVersion
			}
			if asJSON {
				return p.console(p.out).JSON(built)
			}
			text := "mcp-bash " + built.Version
			if built.Go != "" {
				text += " (" + built.Go + ")"
			}
			_, err := fmt.Fprintln(p.out, text)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print version, Go version and system as JSON")
	return cmd
}

// A build describes this program, as JSON.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go,omitempty"`
	System  string `json:"system"` // as in linux/amd64
}
