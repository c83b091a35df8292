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
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/spill"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
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
	cmd.Flags().StringVar(&o.payloads, "record", "", "record every message in this `file`, for `mcp-bash replay`; what looks like a secret is left out")
	return cmd
}

// serveOptions holds the options of serve.
type serveOptions struct {
	trace    traceFlags
	log      logFlags
	payloads string // the file in which messages are recorded; empty for none, unless the environment says so
	lastLine string // written to stderr at the very end; empty for nothing
}

// Some clients never read the stderr of a server. At most unreadLog bytes written to it
// are kept in memory, and may delay the end of the server by lastLog.
const (
	unreadLog = 1 << 20
	lastLog   = 500 * time.Millisecond
)

// serve runs the server until its client disconnects.
func serve(s streams, env map[string]string, projectRoot string, o serveOptions) error {
	// Stdout belongs to the protocol: code that prints to os.Stdout by mistake prints to stderr.
	os.Stdout = s.err
	stderr := spill.New(s.err, unreadLog)
	defer stderr.Close(lastLog)
	err := serveWithStderr(s, stderr, env, projectRoot, o)
	if o.lastLine != "" {
		defer fmt.Fprintln(stderr, o.lastLine)
	}
	if err == nil {
		return nil
	}
	fmt.Fprintln(stderr, console.Fit("mcp-bash: "+console.Plain(err.Error()), columns(s.err), 2))
	return reportedError{err}
}

// serveWithStderr is serve, with all of its output but the protocol written to stderr.
func serveWithStderr(s streams, stderr *spill.Writer, env map[string]string, projectRoot string, o serveOptions) error {
	settings, env, complaints := readServed(env, projectRoot)
	if err := o.log.adjust(&settings); err != nil {
		return console.UsageError{Err: err}
	}
	log, logged := settings.newLog(stderr)
	defer logged()
	board := status.NewBoard(version, os.Getpid())
	log = slog.New(board.Handler(log.Handler()))
	for _, c := range complaints {
		log.Warn(c)
	}
	tracer, traced, err := o.trace.open(stderr, []string{settings.Secret.Token})
	if err != nil {
		return err
	}
	defer traced()
	if n := utf8.RuneCountInString(settings.Secret.Token); n > 0 && n < middleware.MinSecret {
		return console.Usagef("MCPBASH_REMOTE_TOKEN has %d characters, and must have at least %d; `openssl rand -hex 32` makes one", n, middleware.MinSecret)
	}
	settings.Limits.Memory = boundMemory(settings.MaxMemory, env["GOMEMLIMIT"] != "")
	if err := cage.Hide(); err != nil {
		log.Debug("other processes of this user can look into this one", "error", err)
	}
	script.SetUmask(0o077)
	settings.PreserveState = settings.PreserveState || settings.DebugPayloads
	state, err := makeState(settings)
	if err != nil {
		return err
	}
	if settings.DebugPayloads && o.payloads == "" {
		o.payloads = filepath.Join(state.Path, payloadLog)
	}
	if settings.PreserveState {
		log.Info("temporary files are kept; delete them when done", "path", state.Path)
	} else {
		defer state.Remove()
	}
	record, done, err := recording(o.payloads)
	if err != nil {
		return err
	}
	defer done()

	life := newLifetime(log)
	options := settings.options(stderr, env, state.Path, log)
	options.Record, options.Trace, options.Observe = record, tracer, board.Observe
	collect := delayGC(env["GOGC"] != "")
	options.Looked = func(o server.Offer) { collect(); life.looked(o) }
	options.Ended = life.ended
	later := deferredWork{settings: settings, state: state, board: board, out: s.out, log: log}
	options.Begun = later.begin
	defer later.end()
	if settings.LogCalls {
		options.Calls = log
	}
	ctx, stop := untilSignal(func(why error) {
		life.end(why)
		logged()
		stderr.Close(lastLog)
	})
	defer stop(nil)
	later.unread = func() { stop(errUnread) }
	served, err := open(ctx, options, projectRoot, settings.Root, log)
	if err != nil {
		return err
	}
	board.Serves(served.Root())
	if record != nil {
		if err := beginRecording(record, served.Root()); err != nil {
			return errors.Join(err, served.Close())
		}
	}
	// Serve waits for the calls that it cancels, and only Close hurries their scripts.
	hurry := context.AfterFunc(ctx, func() { _ = served.Close() })
	defer hurry()
	if isTerminal(s.in) {
		fmt.Fprintln(stderr, console.Fit("mcp-bash: waiting for MCP messages, one JSON object a line; ctrl-d ends. `mcp-bash help` shows how to start it", columns(s.err), 2))
	}
	in := &input{ReadCloser: s.in}
	endWhenOrphaned(ctx, settings, in, func() { stop(errOrphaned) }, log)
	err = served.Serve(ctx, pipeline.NewNDJSON(in, s.out, max(settings.Limits.Message, 0)))
	releaseWatches()
	err = errors.Join(ended(err), served.Close())
	life.over(ctx, served.Root())
	return err
}

// delayGC delays the first garbage collection, unless the environment sets GOGC: most of what a
// starting server allocates stays in use. The delay ends when the project has been read, or with the
// first collection, which a large project needs: later allocations would be scattered among garbage,
// and keep that memory from being returned to the system.
func delayGC(given bool) (end func()) {
	if given {
		return func() {}
	}
	before := debug.SetGCPercent(400)
	end = sync.OnceFunc(func() { debug.SetGCPercent(before) })
	runtime.AddCleanup(new([64]byte), func(end func()) { end() }, end)
	return end
}

// boundMemory sets the memory limit of the garbage collector, unless the environment
// has set it, and returns how much of it calls may use: two thirds, because the rest is
// for everything else and for garbage. Without a limit it returns 0, for no bound.
func boundMemory(mark int, given bool) int {
	if !given && mark > 0 {
		debug.SetMemoryLimit(int64(mark))
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return int(max(limit/3*2, 1))
	}
	return -1
}

// open opens the project that the command line names, or else the environment, or else
// the project that contains the working directory. Without a project, the server
// explains how to make one.
func open(ctx context.Context, o server.Options, named, fromEnvironment string, log *slog.Logger) (*server.Server, error) {
	o.ProjectRoot = cmp.Or(named, fromEnvironment)
	served, err := server.Open(ctx, o)
	switch {
	case err == nil:
		return served, nil
	case errors.Is(err, server.ErrNoProject):
		log.Warn("no project found: serving the tool getting_started; set MCPBASH_PROJECT_ROOT or --project-root to a folder with tools/ in it")
		return server.GettingStarted(ctx, "No project was found.", o)
	case named == "" && fromEnvironment != "": // a configured client: its user sees what the server reports
		log.Error("MCPBASH_PROJECT_ROOT cannot be served", "error", err)
		return server.GettingStarted(ctx, "The project cannot be served: MCPBASH_PROJECT_ROOT: "+err.Error()+".", o)
	}
	return nil, console.UsageError{Err: err}
}

// options returns the settings as options of the server.
func (s settings) options(stderr io.Writer, env map[string]string, state string, log *slog.Logger) server.Options {
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
		report, err := newCIReport(env, s, stderr, log)
		if err != nil {
			log.Warn("CI mode writes nothing", "error", err)
			return o
		}
		o.Chain = func(stages []pipeline.Middleware) []pipeline.Middleware { return append(stages, report.stage()) }
	}
	return o
}

// recording opens the file in which messages are recorded, readable only by this user.
// Without a path w is nil.
func recording(path string) (w io.Writer, done func() error, err error) {
	if path == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return f, f.Close, err
}

// beginRecording records which project is served, so that replay can treat its folder
// as equal to the folder of the replayed server.
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

// ended converts the error at the end of the pipeline to the error of the process.
func ended(err error) error {
	switch {
	case errors.As(err, new(pipeline.End)):
		return nil
	case errors.As(err, new(signalled)), errors.Is(err, errUnread), errors.Is(err, errOrphaned), errors.Is(err, server.ErrClosed):
		return nil
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return nil // the client has disconnected (S-11)
	case errors.Is(err, middleware.ErrTripped):
		return console.Usagef("%w; see the log above. MCPBASH_ALLOW_CORRUPT_STDOUT=true keeps the server running", err)
	}
	return err
}

// Reasons why a server ends although its client is still connected.
var (
	errUnread = errors.New("nobody reads the answers any more")
	// errOrphaned: the process that started the server has exited.
	errOrphaned = errors.New("the parent process is gone")
)

// signalled is the reason of a server that a signal has ended.
type signalled struct{ os.Signal }

func (s signalled) Error() string {
	switch s.Signal {
	case os.Interrupt:
		return "signal SIGINT"
	case syscall.SIGTERM:
		return "signal SIGTERM"
	case syscall.SIGHUP:
		return "signal SIGHUP"
	}
	return "signal " + s.Signal.String()
}

// untilSignal returns a context that ends with the signals that clients send to end a
// server (S-10). They kill a server that has not exited after two seconds, so it exits
// within one second, whatever is stuck, and at once after a second signal. lastWords is
// called first, but the exit does not wait for it longer than lastWordsTime.
func untilSignal(lastWords func(why error)) (ctx context.Context, stop context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ignoreBrokenPipes()
	go func() {
		why := signalled{<-signals}
		cancel(why)
		select {
		case <-signals:
		case <-time.After(lastAnswers):
		}
		said := make(chan struct{})
		go func() {
			defer close(said)
			lastWords(why)
		}()
		select {
		case <-said:
		case <-time.After(lastWordsTime):
		}
		os.Exit(1)
	}()
	return ctx, cancel
}

// lastAnswers is how long a server may take to end after a signal. Scripts have been
// killed before that.
const lastAnswers = 900 * time.Millisecond

// lastWordsTime is how long lastWords may take after that.
const lastWordsTime = 50 * time.Millisecond

// makeState creates the private folder of this server.
func makeState(s settings) (*statedir.Dir, error) {
	if s.StateParent != "" {
		if err := os.MkdirAll(s.StateParent, 0o700); err != nil {
			return nil, console.Usagef("MCPBASH_STATE_DIR: %w", err)
		}
	}
	parent := cmp.Or(s.StateParent, s.Temp)
	state, err := statedir.Make(parent)
	if err != nil {
		return nil, console.Usagef("no folder for temporary files: %w; set MCPBASH_STATE_DIR or TMPDIR to one that can be written", err)
	}
	return state, nil
}
