package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/explain"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
)

func simulateCommand(p program) *cobra.Command {
	var dir string
	cmd := p.asks(&cobra.Command{
		Use:   "simulate RECORDING",
		Short: "Show what interceptors would refuse or change in a recording",
		Long: `Take the messages of a recording past the interceptors of the project, as they are now, and
print each message that would be refused or changed: by which interceptor, why, and what is
different. Nothing else is run: the answers are those of the recording.

The exit code is 0 if everything would pass as it was, 1 if something would be refused or
changed, and 2 if the recording or the interceptors cannot be read.`,
		Example: `  mcp-bash serve --record session.rec
  mcp-bash simulate session.rec
  mcp-bash simulate session.rec --interceptors ~/rules --json`,
	}, 1, 1, "a recording",
		func(a *clientCommand, words []string) (func(context.Context) error, error) {
			report, err := explain.Read(words[0], "")
			switch {
			case err != nil:
				return nil, console.UsageError{Err: err}
			case dir != "" && a.other():
				return nil, console.Usagef("--interceptors is for interceptors in a folder; leave it out to ask another server")
			case dir != "":
				if a.rules, err = rules.Folder(dir); err != nil {
					return nil, console.Usagef("--interceptors: %w", err)
				}
				*a.projectRoot = dir
			}
			a.lends = true
			return func(ctx context.Context) error { return a.simulate(ctx, report) }, nil
		})
	cmd.Flags().StringVar(&dir, "interceptors", "", "use the interceptors in `dir`, a project or a folder of them")
	return cmd
}

// simulate takes a recording past the interceptors of the server.
func (a *clientCommand) simulate(ctx context.Context, report *explain.Report) error {
	all, err := interceptor.Of(ctx, a.Server.Call)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return console.Usagef("no interceptors; `mcp-bash scaffold interceptor NAME` makes one")
	}
	for _, i := range all {
		i.Timeout = time.Hour // the server knows better
	}
	simulation, err := report.Simulate(ctx, all)
	if err != nil {
		return err
	}
	if simulation.Refused+simulation.Changed > 0 {
		a.exit(1)
	}
	if a.JSON {
		return a.Printer().JSON(simulation)
	}
	simulation.Print(a.Printer())
	return nil
}
