package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// chainCommand returns the command that prints the list of stages.
func chainCommand(p program) *cobra.Command {
	var asJSON, wrapped bool
	cmd := &cobra.Command{
		Use:     "chain",
		Short:   "List the stages that every message passes, with the settings in force",
		Example: "  mcp-bash chain --json | mcp-bash jq -r '.[].name'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stages, err := servedStages(cmd.Context(), p, wrapped)
			if err != nil {
				return err
			}
			if asJSON {
				list := []chainStage{}
				for _, stage := range stages {
					list = append(list, chainStage{stage.Name, stage.Inbound != nil, goesOut(stage), settingsOf(stage)})
				}
				return p.console(p.out).JSON(list)
			}
			var text strings.Builder
			w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			for _, stage := range stages {
				line := stage.Name + "\t" + doors(stage)
				if set := settingsOf(stage); set != "" {
					line += "\t" + set
				}
				fmt.Fprintln(w, line)
			}
			_ = w.Flush()
			for line := range strings.Lines(text.String()) {
				fmt.Fprintln(p.out, console.Fit(strings.TrimSuffix(line, "\n"), columns(p.out), 2))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the stages as JSON")
	cmd.Flags().BoolVar(&wrapped, "wrap", false,
		"those in front of another server: of mcp-bash wrap and mcp-http -- COMMAND")
	return cmd
}

// A chainStage is a stage, as JSON.
type chainStage struct {
	Name     string `json:"name"`
	Inbound  bool   `json:"in"`  // it sees what the client sends
	Outbound bool   `json:"out"` // it sees what is sent to the client
	About    string `json:"about,omitempty"`
}

// servedStages returns the stages with the settings that serve would have here: those of the environment, and
// of the project if there is one. wrapped: those that wrap would have.
func servedStages(ctx context.Context, p program, wrapped bool) ([]pipeline.Middleware, error) {
	if wrapped {
		settings, _ := operator.Read(p.env)
		if settings.Refusal != nil {
			return nil, console.UsageError{Err: settings.Refusal}
		}
		o := settings.ServerOptions(p.env, slog.New(slog.DiscardHandler))
		if settings.LogCalls {
			o.Calls = o.Log
		}
		return server.WrappedStages(o), nil
	}
	runner := &process.Runner{}
	defer runner.Close(time.Second)
	settings, env, _ := operator.ReadServed(ctx, runner, p.env, *p.projectRoot)
	if settings.Refusal != nil {
		return nil, console.UsageError{Err: settings.Refusal}
	}
	log := slog.New(slog.DiscardHandler)
	o := settings.ServerOptions(env, log)
	// serve counts calls, for watch
	o.Observe = func(context.Context, *pipeline.Message) func(middleware.CallEnd) { return nil }
	if settings.DebugPayloads {
		o.Record = io.Discard
	}
	return server.Stages(o), nil
}

func settingsOf(m pipeline.Middleware) string {
	if m.About == nil {
		return ""
	}
	return m.About()
}

func goesOut(m pipeline.Middleware) bool { return m.Outbound != nil || m.Leaving != nil }

func doors(m pipeline.Middleware) string {
	switch {
	case m.Inbound == nil && !goesOut(m):
		return "off"
	case !goesOut(m):
		return "in"
	case m.Inbound == nil:
		return "out"
	}
	return "in, out"
}
