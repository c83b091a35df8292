package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func serveCommand(p program) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a project over stdin and stdout",
		Long: `Serve a project to a client, which starts this command and talks to it: JSON-RPC
messages on stdin and stdout, one a line. They are not meant to be typed; to try a tool
by hand use ` + "`mcp-bash call`" + `.

A client needs a command with its arguments, and the folder of the project, with
absolute paths. Most read that from a file like this:

    {"mcpServers": {"my-tools": {
      "command": "/usr/local/bin/mcp-bash",
      "args": ["serve", "-C", "/home/me/my-tools"]}}}

` + "`mcp-bash install --client NAME` writes it, and `mcp-bash config` prints it." + `

The server logs to stderr: its start with what it offers, each call, and why it ended.
docs/DEBUGGING.md explains what to do when something does not work in a client.`,
		Example: `  mcp-bash serve -C path/to/project
  mcp-bash serve -C path/to/project <messages.ndjson
  mcp-bash serve --log-file server.log --record session.ndjson
  mcp-bash serve --trace-only tools/call --trace-only cancel`,
		RunE: func(*cobra.Command, []string) error {
			return serve(p.streams, p.env, *p.projectRoot, o)
		},
	}
	o.trace.add(cmd)
	o.log.add(cmd)
	o.record.Flags(cmd.Flags())
	return cmd
}

// serveOptions holds the options of serve.
type serveOptions struct {
	hostFlags
	lastLine string // written to stderr at the very end; empty for nothing
}

// leastFiles is how many files the server must be able to open, to run one script.
const leastFiles = 24

// enoughFiles is called before anything opens a file: with a limit of less than ten, Go itself fails with a dump.
func enoughFiles() error {
	if n := process.OpenFiles(); n < leastFiles {
		return fmt.Errorf("too few files may be open (limit %d, needed %d); raise the limit (ulimit -n)", n, leastFiles)
	}
	return nil
}

// earlyGrace is how long a script that runs before the server may take to end after a signal: the process exits soon
// after that, and would leave it behind.
const earlyGrace = 500 * time.Millisecond

// serve runs the server until its client disconnects.
func serve(s streams, env map[string]string, projectRoot string, o serveOptions) error {
	return s.host(o.lastLine, func(h *host) error { return h.serve(env, projectRoot, o) })
}

func (h *host) serve(env map[string]string, projectRoot string, o serveOptions) error {
	// A script that ran before signals are caught would outlive a server that one of them ends.
	early := &process.Runner{Before: h.ending.Caught}
	defer context.AfterFunc(h.ending.Context, func() { _ = early.Close(earlyGrace) })()
	settings, env, complaints := operator.ReadServed(h.ending.Context, early, env, projectRoot)
	if err := h.begin(settings, env, complaints, o.hostFlags); err != nil {
		return err
	}
	if h.stateless != nil {
		return h.stateless
	}
	settings, log, ctx, stop := h.settings, h.log, h.ending.Context, h.ending.Stop
	settings.Limits.Memory = serving.BoundMemory(settings.MaxMemory, env["GOMEMLIMIT"] != "")
	if err := cage.Hide(); err != nil {
		log.Debug("other processes of this user can look into this one", "error", err)
	}
	process.SetUmask(0o077)
	options := serverOptions(settings, h.stderr, env, h.state.Path, log)
	options.Record, options.Trace, options.Observe = h.record, h.trace, h.board.Observe
	options.Intercepted = h.board.Intercepted
	serving.DelayGC(env["GOGC"] != "")
	serving.AddThread(env["GOMAXPROCS"] != "")
	options.Looked = h.life.Looked
	options.Ended = h.life.Ended
	options.Begin = h.afterwards
	if settings.LogCalls {
		options.Calls = log
	}
	served, err := open(ctx, options, projectRoot, settings.Root, log)
	if err != nil {
		return err
	}
	h.board.Serves(served.Root())
	for _, c := range operator.StrayFolders(settings, served.Root()) {
		log.Warn(c)
	}
	// Serve waits for the calls that it cancels, and only Close hurries their scripts.
	hurry := context.AfterFunc(ctx, func() { _ = served.Close() })
	defer hurry()
	in := h.input()
	if settings.OrphanCheck {
		serving.EndWhenOrphaned(ctx, settings.OrphanInterval, in, func() { stop(serving.ErrOrphaned) }, log)
	}
	h.ending.Caught() // before a client is answered
	err = served.Serve(ctx, pipeline.NewNDJSON(in, h.out, max(settings.Limits.Message, 0)))
	err = errors.Join(serving.Failure(err), served.Close())
	h.life.Closed(ctx, served.Root())
	return err
}

// open opens the project that the command line names, or else the environment, or else
// the project that contains the working directory. Without a project, the server
// explains how to make one.
func open(ctx context.Context, o server.Options, named, fromEnvironment string,
	log *slog.Logger) (*server.Server, error) {
	o.ProjectRoot = cmp.Or(named, fromEnvironment)
	served, err := server.Open(ctx, o)
	switch {
	case err == nil:
		return served, nil
	case errors.Is(err, server.ErrNoProject):
		log.Warn("no project found: serving the tool getting_started; set MCPBASH_PROJECT_ROOT or --project-root to a " +
			"folder with tools/ in it")
		return server.GettingStarted(ctx, "No project was found.", o)
	case named == "" && fromEnvironment != "": // a configured client: its user sees what the server reports
		log.Error("MCPBASH_PROJECT_ROOT cannot be served", "error", err)
		return server.GettingStarted(ctx, "The project cannot be served: MCPBASH_PROJECT_ROOT: "+err.Error()+".", o)
	}
	return nil, console.UsageError{Err: err}
}

// serverOptions returns the settings as options of the server.
func serverOptions(s operator.Settings, stderr io.Writer, env map[string]string, state string,
	log *slog.Logger) server.Options {
	o := s.ServerOptions(env, log)
	o.StateDir = state
	o.KeepCalls = s.PreserveState
	o.AdoptOrphans = true
	o.Guard = server.GuardCommand()
	o.Program, _ = os.Executable() // without it, scripts have the jq of the machine
	if s.StreamStderr {
		o.ToolStderr = stderr
	}
	if s.CI {
		report, err := serving.NewCIReport(env, s, stderr, log)
		if err != nil {
			log.Warn("CI mode writes nothing", "error", err)
			return o
		}
		o.Chain = func(stages []pipeline.Middleware) []pipeline.Middleware { return append(stages, report.Stage()) }
	}
	return o
}

// makeState creates the private folder of this server.
func makeState(s operator.Settings) (*statedir.Dir, error) {
	if s.StateParent != "" {
		if err := os.MkdirAll(s.StateParent, 0o700); err != nil {
			return nil, console.Usagef("MCPBASH_STATE_DIR: %w", err)
		}
	}
	parent := cmp.Or(s.StateParent, s.Temp)
	state, err := statedir.Make(parent)
	if err != nil {
		return nil, console.Usagef(
			"no folder for temporary files: %w; set MCPBASH_STATE_DIR or TMPDIR to one that can be written", err)
	}
	return state, nil
}
