package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// payloadLog is the file in which messages are recorded.
const payloadLog = "payload.debug.log"

func debugCommand(p program) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "debug",
		Short: "Serve as serve does, and record every message",
		Long: `Serve a project over stdin and stdout as serve does, with the log level debug, and
record every message in a new folder that only you can read. Its path is printed on
stderr. Passwords, tokens and the like are left out of the recording.

To see what happened, what the client said, and to play it again and compare the answers:

    mcp-bash explain payload.debug.log
    mcp-bash jq -c 'select(.way=="in").message' payload.debug.log
    mcp-bash replay payload.debug.log

The folder of each call stays in it, too, with the files that the server and the
script have exchanged. Delete it when done.`,
		Example: "  mcp-bash debug -C path/to/project",
		RunE: func(*cobra.Command, []string) error {
			settings, _ := operator.Read(p.env) // serve reports what is wrong with them
			dir, err := os.MkdirTemp(settings.Temp, "mcpbash.debug.")
			if err != nil {
				return console.Usagef("no folder for the recording: %w; set TMPDIR to one that can be written", err)
			}
			o.record = serving.Recorder{File: filepath.Join(dir, payloadLog), MaxMB: serving.DefaultRecordMB, Steps: true}
			fmt.Fprintf(p.err, "mcp-bash debug: logging to %s\n", o.record.File)
			o.lastLine = fmt.Sprintf(
				"mcp-bash debug: the recording and the folders of all calls are in %s; delete it when done", dir)
			env := maps.Clone(p.env)
			env["MCPBASH_STATE_DIR"] = dir
			env["MCPBASH_PRESERVE_STATE"] = "true"
			env["MCPBASH_LOG_LEVEL"] = "debug"
			return serve(p.streams, env, *p.projectRoot, o)
		},
	}
	o.trace.add(cmd)
	return cmd
}
