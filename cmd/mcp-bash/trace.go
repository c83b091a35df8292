package main

import (
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// traceFlags are the flags of the trace. Each of them turns the trace on.
type traceFlags struct {
	format string
	only   []string
	file   string
}

func (f *traceFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "middleware-trace", "",
		"print what each stage does with each message on stderr, as `text`, full or json")
	flags.Lookup("middleware-trace").NoOptDefVal = "text"
	flags.StringArrayVar(&f.only, "trace-only", nil,
		"trace only `what` has this method, id or name of a tool, or only this stage; can be repeated")
	flags.StringVar(&f.file, "trace-file", "", "append the trace to this `file`, instead of stderr")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && f.format == "text" && slices.Contains(traceFormats, args[0]) { // --middleware-trace json
			f.format = args[0]
			return nil
		}
		return cobra.NoArgs(cmd, args)
	}
	completes(cmd, "middleware-trace", traceFormats)
	_ = cmd.RegisterFlagCompletionFunc("trace-only",
		func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return append(stageNames(), "tools/call", "tools/list", "initialize"), cobra.ShellCompDirectiveNoFileComp
		})
}

// traceFormats are the values of --middleware-trace.
var traceFormats = []string{string(trace.Text), string(trace.Full), string(trace.JSON)}

// stageNames returns the names of the stages, from the wire inwards.
func stageNames() (names []string) {
	for _, stage := range server.Stages(server.Options{}) {
		names = append(names, stage.Name)
	}
	return names
}

// open returns the tracer, nil if no flag asks for it. Call done after the last trace.
func (f traceFlags) open(
	stderr io.Writer, p program, secrets []string,
) (tracer pipeline.Tracer, done func(), err error) {
	switch {
	case f.format == "" && f.file == "" && len(f.only) == 0:
		return nil, func() {}, nil
	case f.format != "" && !slices.Contains(traceFormats, f.format):
		return nil, nil, console.Usagef("--middleware-trace=%s: must be text, full or json", f.format)
	}
	w, end := stderr, func() {}
	if f.file != "" {
		file, err := os.OpenFile(f.file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, nil, console.Usagef("--trace-file: %w", err)
		}
		w, end = serving.LogFile(file)
	}
	o := trace.Options{Format: trace.Format(f.format), Only: f.only, Stages: stageNames(), Secrets: secrets}
	if f.file == "" && p.live(p.err) {
		o.Colour, o.Columns = p.env["NO_COLOR"] == "", func() int { return columns(p.err) }
	}
	printer := trace.New(w, o)
	return printer.Step, func() {
		printer.Close()
		end()
	}, nil
}
