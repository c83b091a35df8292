package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A host is what this process has while it serves its one client over stdin and stdout: its own project, or another
// server.
type host struct {
	streams
	ending *serving.Ending
	stderr *serving.Spill // gets all output but the protocol

	// What begin fills in.
	settings  operator.Settings
	log       *slog.Logger
	board     *status.Board
	life      *serving.Lifetime
	state     *statedir.Dir // nil if there is none
	stateless error         // why
	record    io.Writer     // nil for none
	trace     pipeline.Tracer

	ends []func() // called at the end, the last one first
}

// hostFlags are the flags of all that serves.
type hostFlags struct {
	trace  traceFlags
	log    logFlags
	record serving.Recorder
}

// host calls run, which serves, and reports its error. lastLine, if any, is written to stderr at the very end.
func (s streams) host(lastLine string, run func(*host) error) error {
	os.Stdout = s.err // stdout belongs to the protocol: what prints to it by mistake prints to stderr
	h := &host{streams: s, ending: serving.OnSignal(os.Exit)}
	defer h.ending.Stop(nil)
	h.stderr = serving.NewSpill(h.ending.Stderr(s.err), serving.UnreadLog)
	defer h.stderr.Close(serving.LastLog)
	err := run(h)
	for _, end := range slices.Backward(h.ends) {
		end()
	}
	if lastLine != "" {
		defer fmt.Fprintln(h.stderr, lastLine)
	}
	if err == nil {
		return nil
	}
	fmt.Fprintln(h.stderr, console.Fit("mcp-bash: "+console.Plain(err.Error()), columns(s.err), 2))
	return reportedError{err}
}

// begin begins to log, to trace and to record, as the settings and flags say.
func (h *host) begin(s operator.Settings, env map[string]string, complaints []string, f hostFlags) error {
	if err := errors.Join(s.Refusal, f.log.adjust(&s)); err != nil {
		return console.UsageError{Err: err}
	}
	log, logged := serving.Log(s, h.stderr)
	h.ends = append(h.ends, logged)
	h.board = status.NewBoard(version, os.Getpid(), s.Secret.Token)
	h.log = slog.New(h.board.Handler(log.Handler()))
	h.life = serving.NewLifetime(h.log)
	h.ending.BeforeExit(func(why error) {
		h.life.LogEnd(why)
		logged()
		h.stderr.Close(serving.LastLog)
	})
	for _, c := range complaints {
		h.log.Warn(c)
	}
	secrets := []string{s.Secret.Token}
	tracer, traced, err := f.trace.open(h.stderr, program{streams: h.streams, env: env}, secrets)
	if err != nil {
		return err
	}
	h.ends = append(h.ends, traced)
	s.PreserveState = s.PreserveState || s.DebugPayloads
	h.settings = s
	if h.state, h.stateless = makeState(s); h.state != nil {
		if s.DebugPayloads && f.record.File == "" {
			f.record.File = filepath.Join(h.state.Path, payloadLog)
		}
		if s.PreserveState {
			h.log.Info("temporary files are kept; delete them when done", "path", h.state.Path)
		} else {
			h.ends = append(h.ends, func() { _ = h.state.Remove() })
		}
	}
	record, tracer, recorded, err := f.record.Open(secrets, tracer)
	if err != nil {
		return console.UsageError{Err: err}
	}
	h.record, h.trace = record, tracer
	h.ends = append(h.ends, func() { _ = recorded() })
	return nil
}

// input returns what the client sends. At a terminal it says what is waited for.
func (h *host) input() *serving.Input {
	if isTerminal(h.in) {
		fmt.Fprintln(h.stderr, console.Fit("mcp-bash: waiting for MCP messages, one JSON object a line; ctrl-d ends. "+
			"`mcp-bash help` shows how to start it", columns(h.err), 2))
	}
	return &serving.Input{ReadCloser: h.in}
}
