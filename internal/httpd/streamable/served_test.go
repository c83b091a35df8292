package streamable_test

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/streamable"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

var limits = session.Limits{Exchanges: 64, Buffer: 64 << 20, Keep: 1 << 20}

// open opens a project with these files.
func open(t *testing.T, files map[string]string) *server.Server {
	t.Helper()
	return openWith(t, files, filepath.Join(t.TempDir(), "key"))
}

// openWith is open with the key of states in a file.
func openWith(t *testing.T, files map[string]string, key string) *server.Server {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := server.Open(t.Context(), server.Options{
		ProjectRoot:  root,
		Environ:      os.Environ(),
		StateKeyFile: key,
		Log:          slog.New(slog.DiscardHandler),
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append([]pipeline.Middleware{backend.Causes()}, stages...)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

// handler returns a handler for servers that an opener opens. Its responses become streams when
// there is more to send than the answer, and not because a machine is slow: see streaming.
func handler(t *testing.T, o backend.Opener) *streamable.Handler {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	table := &session.Table{Opener: o, Limits: limits, Max: 16, Log: log}
	t.Cleanup(table.Close)
	return &streamable.Handler{
		Sessions:    table,
		Stateless:   o,
		Limits:      limits,
		MaxBody:     1 << 20,
		StreamAfter: time.Hour,
		KeepAlive:   time.Minute,
		Patience:    time.Minute,
		Retry:       10 * time.Millisecond,
		Log:         log,
	}
}

// streaming returns a handler whose responses are streams from the beginning.
func streaming(t *testing.T, o backend.Opener) *streamable.Handler {
	t.Helper()
	h := handler(t, o)
	h.StreamAfter = 0
	return h
}

// serve serves a handler and returns its address.
func serve(t *testing.T, h *streamable.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
