package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/spill"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func serveCommand(p program) *cobra.Command {
	var o serving
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a project over stdin and stdout",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return serve(p.streams, p.env, *p.projectRoot, o)
		},
	}
	traceFlag(cmd, &o.trace)
	o.log.add(cmd)
	cmd.Flags().StringVar(&o.payloads, "record", "", "record every message in this `file`, for `mcp-bash replay`; what looks like a secret is left out")
	return cmd
}

// serving is what the command line says of how to serve.
type serving struct {
	trace    string // the format in which stages tell what they do; empty for none
	log      logFlags
	payloads string // the file in which messages are recorded; empty for none, unless the environment says so
}

func traceFlag(cmd *cobra.Command, trace *string) {
	cmd.Flags().StringVar(trace, "middleware-trace", "", "tell on stderr what each stage does with each message, as `text` or json")
	cmd.Flags().Lookup("middleware-trace").NoOptDefVal = "text"
}

// Clients start servers with a stderr that they never read. What is written to it is
// bounded by unreadLog bytes in memory, and may hold the end of the server up for
// lastLog.
const (
	unreadLog = 1 << 20
	lastLog   = 500 * time.Millisecond
)

// serve runs the server until its client goes.
func serve(s streams, env map[string]string, projectRoot string, o serving) error {
	// Stdout belongs to the protocol: whoever prints by habit prints to stderr.
	os.Stdout = s.err
	stderr := spill.New(s.err, unreadLog)
	defer stderr.Close(lastLog)
	err := serveTelling(s, stderr, env, projectRoot, o)
	if err == nil {
		return nil
	}
	complain(stderr, err)
	return toldError{err}
}

// serveTelling is serve, with all that it says going to stderr.
func serveTelling(s streams, stderr io.Writer, env map[string]string, projectRoot string, o serving) error {
	settings, env, complaints := readServed(env, projectRoot)
	if err := o.log.adjust(&settings); err != nil {
		return usageError{err}
	}
	log, logged := settings.newLog(stderr)
	defer logged()
	for _, c := range complaints {
		log.Warn(c)
	}
	tracer, err := tracer(stderr, o.trace)
	if err != nil {
		return err
	}
	if n := utf8.RuneCountInString(settings.Secret.Token); n > 0 && n < middleware.MinSecret {
		return usageError{fmt.Errorf("MCPBASH_REMOTE_TOKEN has %d characters, and must have at least %d; `openssl rand -hex 32` makes one", n, middleware.MinSecret)}
	}
	settings.Limits.Memory = boundMemory(settings.maxMemory, env["GOMEMLIMIT"] != "")
	if err := cage.Hide(); err != nil {
		log.Debug("other processes of this user can look into this one", "error", err)
	}
	script.SetUmask(0o077)
	settings.preserveState = settings.preserveState || settings.debugPayloads
	state, err := makeState(settings)
	if err != nil {
		return err
	}
	if settings.debugPayloads && o.payloads == "" {
		o.payloads = filepath.Join(state.Path, payloadLog)
	}
	if settings.preserveState {
		log.Info("temporary files are kept", "path", state.Path)
	} else {
		defer state.Remove()
	}
	record, done, err := recording(o.payloads)
	if err != nil {
		return err
	}
	defer done()

	options := settings.options(stderr, env, state.Path, log)
	options.Record, options.Trace = record, tracer
	if settings.logCalls {
		options.Calls = log
	}
	ctx, stop := untilSignal()
	defer stop(nil)
	defer whenUnread(s.out, func() { stop(errUnread) })()
	served, err := open(ctx, options, projectRoot, settings.projectRoot, log)
	if err != nil {
		return err
	}
	if record != nil {
		if err := beginRecording(record, served.Root()); err != nil {
			return errors.Join(err, served.Close())
		}
	}
	// Serve waits for the calls that it cancels, and only Close hurries their scripts.
	hurry := context.AfterFunc(ctx, func() { _ = served.Close() })
	defer hurry()
	if isTerminal(s.in) {
		fmt.Fprintln(stderr, "mcp-bash: waiting for MCP messages, one JSON object a line; ctrl-d ends. `mcp-bash help` says how it is meant to be started")
	}
	in := &input{ReadCloser: s.in}
	endWhenOrphaned(ctx, settings, in, func() { stop(errOrphaned) }, log)
	err = served.Serve(ctx, pipeline.NewNDJSON(in, s.out, max(settings.Limits.Message, 0)))
	releaseWatches()
	return errors.Join(ended(err), served.Close())
}

// boundMemory sets the mark beyond which memory is collected at once, unless the
// environment has set it, and returns what calls may hold of it: two thirds, as the
// rest is for everything else and for what is not collected yet. Without a mark there
// is no bound.
func boundMemory(mark int, given bool) int {
	if !given && mark > 0 {
		debug.SetMemoryLimit(int64(mark))
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return int(max(limit/3*2, 1))
	}
	return -1
}

// open opens the project that the command line names, else the one of the
// environment, else the one that the working directory is in. Without one, the
// server explains how to make one.
func open(ctx context.Context, o server.Options, named, fromEnvironment string, log *slog.Logger) (*server.Server, error) {
	o.ProjectRoot = cmp.Or(named, fromEnvironment)
	served, err := server.Open(ctx, o)
	switch {
	case err == nil:
		return served, nil
	case errors.Is(err, server.ErrNoProject):
		log.Warn("no project found: serving the tool getting_started; set MCPBASH_PROJECT_ROOT or --project-root to a folder with tools/ in it")
		return server.GettingStarted(ctx, "No project was found.", o)
	case named == "" && fromEnvironment != "": // its client has been set up long ago, and its user sees what the server says
		log.Error("MCPBASH_PROJECT_ROOT cannot be served", "error", err)
		return server.GettingStarted(ctx, "The project cannot be served: MCPBASH_PROJECT_ROOT: "+err.Error()+".", o)
	}
	return nil, usageError{err}
}

// options are the settings as the server takes them.
func (s settings) options(stderr io.Writer, env map[string]string, state string, log *slog.Logger) server.Options {
	o := s.Options
	o.Environ, o.Secrets, o.Settings = pairs(env), secrets, ownSettings()
	o.StateDir = state
	o.KeepCalls = s.preserveState
	o.AdoptOrphans = true
	o.Guard = guardCommand()
	o.Program, _ = os.Executable() // without it, scripts have the jq of the machine
	o.HTTPS, o.Git = s.https.hosts(log), s.git.hosts(log)
	if s.streamErr {
		o.ToolStderr = stderr
	}
	o.Log = log
	if s.ci {
		report, err := newCIReport(env, s, stderr, log)
		if err != nil {
			log.Warn("CI mode writes nothing", "error", err)
			return o
		}
		o.Chain = func(stages []pipeline.Middleware) []pipeline.Middleware { return append(stages, report.stage()) }
	}
	return o
}

// recording opens the file in which messages are recorded, for nobody else to
// read. Without a path it is nil.
func recording(path string) (w io.Writer, done func() error, err error) {
	if path == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return f, f.Close, err
}

// beginRecording says what is recorded: replay takes the project's folder for the
// same wherever it is.
func beginRecording(w io.Writer, root string) error {
	type start struct {
		Version string `json:"version"`
		Project string `json:"project,omitempty"`
	}
	return json.NewEncoder(w).Encode(struct {
		Time    time.Time `json:"time"`
		Way     string    `json:"way"`
		Message start     `json:"message"`
	}{time.Now().UTC(), "start", start{version, root}})
}

// ended says what the end of the pipeline means for the process.
func ended(err error) error {
	switch {
	case errors.Is(err, errSignal), errors.Is(err, errUnread), errors.Is(err, errOrphaned), errors.Is(err, server.ErrClosed):
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return nil // the client is gone (S-11)
	case errors.Is(err, middleware.ErrTripped):
		return usageError{fmt.Errorf("%w; see the log above. MCPBASH_ALLOW_CORRUPT_STDOUT=true keeps the server running", err)}
	}
	return err
}

// These are why a server ends although its client might say more.
var (
	errSignal = errors.New("ended by a signal")
	errUnread = errors.New("nobody reads the answers any more")
	// errOrphaned: the process that started the server is gone.
	errOrphaned = errors.New("the parent process is gone")
)

// untilSignal returns a context that ends with the signals with which clients end a
// server (S-10). They kill one that is not gone two seconds later, so it is gone
// within one, whatever is stuck, and at once with a second signal.
func untilSignal() (ctx context.Context, stop context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ignoreBrokenPipes()
	go func() {
		<-signals
		cancel(errSignal)
		select {
		case <-signals:
		case <-time.After(lastAnswers):
		}
		os.Exit(1)
	}()
	return ctx, cancel
}

// lastAnswers is how long a server may take to end that a signal has ended. Scripts
// have been killed before that.
const lastAnswers = 900 * time.Millisecond

// makeState makes the private folder of this server, and sees to it that those of servers
// that were killed are removed.
func makeState(s settings) (*statedir.Dir, error) {
	if s.stateDir != "" {
		if err := os.MkdirAll(s.stateDir, 0o700); err != nil {
			return nil, usageError{fmt.Errorf("MCPBASH_STATE_DIR: %w", err)}
		}
	}
	parent := cmp.Or(s.stateDir, s.tempDir)
	state, err := statedir.Make(parent, s.preserveState)
	if err != nil {
		return nil, usageError{fmt.Errorf("no folder for temporary files: %w; set MCPBASH_STATE_DIR or TMPDIR to one that can be written", err)}
	}
	go statedir.Sweep(parent)
	return state, nil
}

func pairs(env map[string]string) []string {
	all := make([]string, 0, len(env))
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}
