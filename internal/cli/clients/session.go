package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// ask opens a session and lists all tools.
func (r *Report) ask(ctx context.Context, stream io.ReadWriteCloser) error {
	session, err := dial.Open(ctx, stream, dial.Options{Audience: nobody{}, Version: "1"})
	if err != nil {
		return unanswered(ctx, "initialize", err)
	}
	defer session.Close() // ends the server's input, and so the server
	var hello struct {
		ProtocolVersion string
		ServerInfo      struct{ Name, Version string }
	}
	if err := json.Unmarshal(session.Hello, &hello); err != nil {
		return fmt.Errorf("the result of initialize is invalid: %w", err)
	}
	r.Server, r.Version, r.Protocol = hello.ServerInfo.Name, hello.ServerInfo.Version, hello.ProtocolVersion
	tools, err := dial.All(ctx, session, "tools/list", "tools")
	if err != nil {
		return unanswered(ctx, "tools/list", err)
	}
	r.Tools = []string{}
	for _, tool := range tools {
		var t struct{ Name string }
		if err := json.Unmarshal(tool, &t); err != nil {
			return fmt.Errorf("the result of tools/list is invalid: %w", err)
		}
		r.Tools = append(r.Tools, t.Name)
	}
	return nil
}

// unanswered adds the method to the error of a call that was refused or had no answer.
func unanswered(ctx context.Context, method string, err error) error {
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("%s was refused: %s (error %d)", method, refused.Message, refused.Code)
	case ctx.Err() != nil:
		return fmt.Errorf("no answer to %s", method)
	case errors.Is(err, dial.ErrGone):
		return fmt.Errorf("no answer to %s: %w", method, err)
	}
	return err
}

// nobody is the user of a client without capabilities.
type nobody struct{}

func (nobody) Notify(string, json.RawMessage)                       {}
func (nobody) Answers() bool                                        { return false }
func (nobody) Elicit(context.Context, json.RawMessage) (any, error) { return nil, nil }

// duplex is the stream to and from the server. Closing it ends the server's input.
type duplex struct {
	*io.PipeReader
	in io.WriteCloser
}

func (d duplex) Write(p []byte) (int, error) { return d.in.Write(p) }

func (d duplex) Close() error {
	d.PipeReader.Close() // never fails
	return d.in.Close()
}

// A stdoutTap consumes a server's stdout, even after reading has stopped, and keeps its beginning.
type stdoutTap struct {
	pipe *io.PipeWriter
	head script.Head
}

func newStdoutTap() (*stdoutTap, *io.PipeReader) {
	out, in := io.Pipe()
	return &stdoutTap{pipe: in, head: script.Head{Limit: 1 << 10}}, out
}

func (e *stdoutTap) Write(p []byte) (int, error) {
	_, _ = e.head.Write(p) // never fails
	_, _ = e.pipe.Write(p) // fails when nobody reads, which must not stop the server
	return len(p), nil
}

// noise returns the first line that is not a message; empty for none.
func (e *stdoutTap) noise() string {
	for line := range strings.Lines(string(e.head.Bytes())) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '{' {
			return line[:min(len(line), 80)]
		}
	}
	return ""
}
