package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// ask opens a session and lists all tools.
func (r *Report) ask(ctx context.Context, conn *jsonrpc2.Conn) error {
	version := mcp.Latest().Version
	var hello struct {
		ProtocolVersion string
		ServerInfo      struct{ Name, Version string }
	}
	err := call(ctx, conn, "initialize", mcp.InitializeParams{
		ProtocolVersion: &version,
		Capabilities:    &mcp.ClientCapabilities{},
		ClientInfo:      &mcp.ClientInfo{Name: "mcp-bash", Version: "1"},
	}, &hello)
	if err != nil {
		return err
	}
	r.Server, r.Version, r.Protocol = hello.ServerInfo.Name, hello.ServerInfo.Version, hello.ProtocolVersion
	if err := conn.Notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	r.Tools = []string{}
	seen := map[string]bool{}
	for params := map[string]string{}; ; {
		var page struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
		if err := call(ctx, conn, "tools/list", params, &page); err != nil {
			return err
		}
		for _, t := range page.Tools {
			r.Tools = append(r.Tools, t.Name)
		}
		if page.NextCursor == "" {
			return nil
		}
		if seen[page.NextCursor] {
			return errors.New("tools/list does not end: it gave the same cursor twice")
		}
		seen[page.NextCursor] = true
		params["cursor"] = page.NextCursor
	}
}

// call calls a method and adds the method to an error.
func call(ctx context.Context, conn *jsonrpc2.Conn, method string, params, result any) error {
	err := conn.Call(ctx, method, params, result)
	var refused *jsonrpc2.Error
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return fmt.Errorf("%s was refused: %s (error %d)", method, refused.Message, refused.Code)
	case ctx.Err() != nil:
		return fmt.Errorf("no answer to %s", method)
	case errors.As(err, &wrong):
		return fmt.Errorf("the answer to %s makes no sense: %w", method, err)
	}
	return fmt.Errorf("no answer to %s: %w", method, errGone)
}

// errGone is returned when the server has closed the connection.
var errGone = errors.New("the conversation is over")

// answers returns the handler of a client without capabilities for requests of the server.
func answers() jsonrpc2.Handler {
	return jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		if r.Notif || r.Method == "ping" {
			return struct{}{}, nil
		}
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "Method not found"}
	})
}

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
