package pipetest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// In sends lines through one stage to next and returns the lines that the
// client would read, after the input has ended. A nil next is [OK].
func In(t testing.TB, stage pipeline.Middleware, next pipeline.Handler, lines ...string) []string {
	t.Helper()
	return Chain(t, []pipeline.Middleware{stage}, next, lines...)
}

// Chain is In for a whole chain.
func Chain(t testing.TB, chain []pipeline.Middleware, next pipeline.Handler, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(&out, chain, next, lines...); err != nil {
		t.Errorf("the pipeline ended with: %v", err)
	}
	return Lines(out.String())
}

// Serve writes what the client would read to w, for an Example. The error is that of the pipeline.
// w stays open.
func Serve(w io.Writer, chain []pipeline.Middleware, next pipeline.Handler, lines ...string) error {
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	out := struct{ io.Writer }{w}
	return New(in, out, chain, next, pipeline.Options{}).Run(context.Background())
}

// Out sends messages out through one stage and returns the lines that the
// client would read.
func Out(t testing.TB, stage pipeline.Middleware, messages ...*pipeline.Message) []string {
	t.Helper()
	inbound := func(context.Context, *pipeline.Message, pipeline.Handler) (*pipeline.Message, error) {
		m := messages[0]
		messages = messages[1:]
		return m, nil
	}
	send := pipeline.Middleware{Name: "send", Inbound: inbound}
	var lines []string
	for range messages {
		lines = append(lines, `{"jsonrpc":"2.0","id":0,"method":"send"}`)
	}
	return Chain(t, []pipeline.Middleware{stage, send}, nil, lines...)
}

// OK is a handler that answers every call with an empty object.
func OK(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	if m.Kind() != pipeline.Call {
		return nil, nil
	}
	return m.Answer(nil)
}

// New returns a pipeline between a reader and a writer, without a log. A nil next is [OK].
func New(
	in io.Reader, out io.Writer, chain []pipeline.Middleware, next pipeline.Handler, o pipeline.Options,
) *pipeline.Pipeline {
	if next == nil {
		next = OK
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return pipeline.New(pipeline.NewNDJSON(in, out, 1<<20), chain, next, o)
}

// Lines splits output into its lines.
func Lines(out string) []string {
	if out == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}
