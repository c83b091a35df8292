// Package httpdtest helps tests of servers behind HTTP: with projects, their servers and handlers, and
// the official client. Only tests import it.
package httpdtest

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/streamable"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Project writes files, by their paths, into a new folder and returns it. All can be executed.
func Project(t testing.TB, files map[string]string) (root string) {
	t.Helper()
	root, err := os.MkdirTemp("", "project.")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) }) // a scan in progress may still write its list
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Open opens a server until the test ends. Its log and first stage are filled in.
func Open(t testing.TB, o server.Options) *server.Server {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	o.Chain = func(stages []pipeline.Middleware) []pipeline.Middleware {
		return append([]pipeline.Middleware{backend.Causes()}, stages...)
	}
	srv, err := server.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

// Handler returns a handler for an opener's servers, which is closed when the test ends. Its responses
// become streams when there is more to send than the answer, and not because a machine is slow.
func Handler(t testing.TB, o backend.Opener) *streamable.Handler {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	limits := session.Limits{Exchanges: 64, Buffer: 64 << 20, Keep: 1 << 20}
	table := &session.Table{Opener: o, Limits: limits, Places: limit.NewShares("sessions are open", 16, 16), Log: log}
	t.Cleanup(table.Close)
	return &streamable.Handler{
		Sessions:    table,
		Stateless:   o,
		Limits:      limits,
		MaxBody:     1 << 20,
		StreamAfter: time.Hour,
		KeepAlive:   time.Minute,
		Retry:       10 * time.Millisecond,
		Log:         log,
	}
}

// A Guest is the official client in a session, whose user answers all questions with the name Ada.
type Guest struct {
	*mcp.ClientSession
	Progress chan string // messages of progress notifications
}

// Visit begins a session of a revision, which ends with the test. A nil client is the default client.
func Visit(t testing.TB, url, version string, client *http.Client) *Guest {
	t.Helper()
	g := &Guest{Progress: make(chan string, 64)}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			g.Progress <- r.Params.Message
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "value": "Ada"}}, nil
		},
	})
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	g.ClientSession = s
	return g
}

// Call calls a tool without arguments, with the tool's name as the progress token, and returns the
// first text of the result.
func (g *Guest) Call(ctx context.Context, tool string) (string, error) {
	p := &mcp.CallToolParams{Name: tool}
	p.SetProgressToken(tool)
	result, err := g.CallTool(ctx, p)
	if err != nil {
		return "", err
	}
	return result.Content[0].(*mcp.TextContent).Text, nil
}
