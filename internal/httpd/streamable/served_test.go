package streamable_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/streamable"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// open opens a project with these files.
func open(t *testing.T, files map[string]string) *server.Server {
	t.Helper()
	return httpdtest.Open(t, server.Options{ProjectRoot: httpdtest.Project(t, files), Environ: os.Environ(), StateKeyFile: filepath.Join(t.TempDir(), "key")})
}

// streaming returns a handler whose responses are streams from the beginning.
func streaming(t *testing.T, o backend.Opener) *streamable.Handler {
	t.Helper()
	h := httpdtest.Handler(t, o)
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
