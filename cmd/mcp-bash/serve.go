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

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/handlers"
	"github.com/mcp-bash/mcp-bash/internal/script"
	"github.com/mcp-bash/mcp-bash/middleware"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

func serveCommand(p program) *cobra.Command {
	var trace string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a project over stdin and stdout",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return serve(p.streams, p.env, *p.projectRoot, trace)
		},
	}
	cmd.Flags().StringVar(&trace, "middleware-trace", "", "tell on stderr what each stage does with each message, as `text` or json")
	cmd.Flags().Lookup("middleware-trace").NoOptDefVal = "text"
	return cmd
}

// serve runs the server until its client goes.
func serve(s streams, env map[string]string, projectRoot, trace string) error {
	// Stdout belongs to the protocol: whoever prints by habit prints to stderr.
	os.Stdout = s.err
	settings, complaints := readSettings(env)
	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: settings.logLevel}))
	for _, c := range complaints {
		log.Warn(c)
	}
	tracer, err := tracer(s.err, trace)
	if err != nil {
		return err
	}
	if projectRoot == "" {
		projectRoot = settings.projectRoot
	}
	script.SetUmask(0o077)
	state, err := makeState(settings)
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)

	offer, err := open(projectRoot, state, s, env, settings, log)
	if err != nil {
		return err
	}
	mux, slow := pipeline.Mux{}, map[string]bool{}
	for _, m := range handlers.Table(offer.families) {
		mux[m.Name], slow[m.Name] = m.Handle, m.Slow
	}
	stages := chain(shared{
		settings: settings,
		session:  offer.families.Lifecycle.Session,
		logging:  offer.families.Logging,
		slow:     func(m *pipeline.Message) bool { return slow[m.Method()] },
		log:      log,
	})
	if isTerminal(s.in) {
		fmt.Fprintln(s.err, "mcp-bash: waiting for MCP messages, one JSON object a line; ctrl-d ends. `mcp-bash help` says how it is meant to be started")
	}
	stream := pipeline.NewNDJSON(s.in, s.out, settings.maxMessage)
	p := pipeline.New(stream, stages, mux.Serve, pipeline.Options{Drain: max(settings.drain, 1), Trace: tracer, Log: log})
	stopOnSignal(p)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	offer.background(ctx, p)
	return ended(p.Run(ctx))
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
