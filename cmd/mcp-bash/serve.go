package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
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
	return cmd
}

// serving is what the command line says of how to serve.
type serving struct {
	trace    string // the format in which stages tell what they do; empty for none
	payloads string // the file in which messages are recorded; empty for none, unless the environment says so
}

func traceFlag(cmd *cobra.Command, trace *string) {
	cmd.Flags().StringVar(trace, "middleware-trace", "", "tell on stderr what each stage does with each message, as `text` or json")
	cmd.Flags().Lookup("middleware-trace").NoOptDefVal = "text"
}

// serve runs the server until its client goes.
func serve(s streams, env map[string]string, projectRoot string, o serving) error {
	// Stdout belongs to the protocol: whoever prints by habit prints to stderr.
	os.Stdout = s.err
	settings, env, complaints := readServed(env, projectRoot)
	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: settings.logLevel}))
	for _, c := range complaints {
		log.Warn(c)
	}
	tracer, err := tracer(s.err, o.trace)
	if err != nil {
		return err
	}
	if n := utf8.RuneCountInString(settings.remote.Token); n > 0 && n < 32 {
		return usageError{fmt.Errorf("MCPBASH_REMOTE_TOKEN has %d characters, and must have at least 32; `openssl rand -hex 32` makes one", n)}
	}
	named := projectRoot != "" || settings.projectRoot == ""
	if !named {
		projectRoot = settings.projectRoot
	}
	script.SetUmask(0o077)
	state, err := makeState(settings)
	if err != nil {
		return err
	}
	if settings.debugPayloads && o.payloads == "" {
		o.payloads = filepath.Join(state, payloadLog)
	}
	settings.preserveState = settings.preserveState || settings.debugPayloads
	if settings.preserveState {
		log.Info("temporary files are kept", "path", state)
	} else {
		defer os.RemoveAll(state)
	}
	record, done, err := recording(o.payloads)
	if err != nil {
		return err
	}
	defer done()

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	offer, err := open(ctx, projectRoot, state, s, givingJQ(env, state), settings, log)
	if err != nil && named {
		return err
	} else if err != nil { // its client has been set up long ago, and its user sees what the server says
		log.Error("MCPBASH_PROJECT_ROOT cannot be served", "error", err)
		offer = gettingStarted(ctx, settings, log, "The project cannot be served: MCPBASH_PROJECT_ROOT: "+err.Error()+".")
	}
	defer offer.families.Tools.Rounds.Close()
	if settings.minimal {
		offer = offer.minimal()
	}
	if isTerminal(s.in) {
		fmt.Fprintln(s.err, "mcp-bash: waiting for MCP messages, one JSON object a line; ctrl-d ends. `mcp-bash help` says how it is meant to be started")
	}
	in := &input{ReadCloser: s.in}
	p := assemble(offer, pipeline.NewNDJSON(in, s.out, settings.maxMessage), settings, record, tracer, log)
	stopOnSignal(p)
	endWhenOrphaned(ctx, settings, in, func() { p.Stop(nil) }, log)
	offer.background(ctx, p)
	return ended(p.Run(ctx))
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

// assemble makes the pipeline that serves an offer over a stream: the chain of
// stages, and the handlers behind it. What passes is written to record, unless
// that is nil.
func assemble(o offer, stream jsonrpc2.ObjectStream, settings settings, record io.Writer, trace pipeline.Tracer, log *slog.Logger) *pipeline.Pipeline {
	mux, slow := pipeline.Mux{}, map[string]bool{}
	for _, m := range handlers.Table(o.families) {
		mux[m.Name], slow[m.Name] = m.Handle, m.Slow
	}
	stages := chain(shared{
		settings: settings,
		session:  o.families.Lifecycle.Session,
		logging:  o.families.Logging,
		slow:     func(m *pipeline.Message) bool { return slow[m.Method()] },
		record:   record,
		log:      log,
	})
	var p *pipeline.Pipeline
	p = pipeline.New(stream, stages, mux.Serve, pipeline.Options{
		Drain: max(settings.drain, 1),
		Abandon: func(ctx context.Context, id pipeline.ID, cause error) {
			handlers.Abandon(ctx, p, id, cause)
		},
		Trace: trace,
		Log:   log,
	})
	return p
}

// ended says what the end of the pipeline means for the process.
func ended(err error) error {
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return nil // the client is gone (S-11)
	case errors.Is(err, middleware.ErrTripped):
		return usageError{fmt.Errorf("%w; see the log above. MCPBASH_ALLOW_CORRUPT_STDOUT=true keeps the server running", err)}
	}
	return err
}

// stopOnSignal ends the pipeline on the signals with which clients end a server
// (S-10). The second one ends the process at once, as does a client that reads
// nothing any more, so that the last answers cannot leave.
func stopOnSignal(p *pipeline.Pipeline) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ignoreBrokenPipes()
	go func() {
		<-signals
		p.Stop(nil)
		select {
		case <-signals:
		case <-time.After(lastAnswers):
		}
		os.Exit(1)
	}()
}

// lastAnswers is how long the calls that a signal ended may take to be answered.
const lastAnswers = 10 * time.Second

// makeState makes the private folder of this server and returns its absolute
// path: tools run elsewhere.
func makeState(s settings) (string, error) {
	if s.stateDir != "" {
		if err := os.MkdirAll(s.stateDir, 0o700); err != nil {
			return "", usageError{fmt.Errorf("MCPBASH_STATE_DIR: %w", err)}
		}
	}
	parent := s.stateDir
	if parent == "" {
		parent = s.tempDir
	}
	state, err := os.MkdirTemp(parent, "mcpbash.state.")
	if err != nil {
		return "", usageError{fmt.Errorf("no folder for temporary files: %w; set MCPBASH_STATE_DIR or TMPDIR to one that can be written", err)}
	}
	return filepath.Abs(state)
}

func pairs(env map[string]string) []string {
	all := make([]string, 0, len(env))
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}
