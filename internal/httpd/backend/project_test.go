package backend_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

const reports = `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_progress 50 half 100
mcp_emit_text done
`

func TestWhatACallOfAProjectCausesIsKnownToBeItsOwn(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.MkdirAll(filepath.Join(root, "tools", "reports"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "tools", "reports", "tool.sh"), []byte(reports), 0o755))
	srv, err := server.Open(t.Context(), server.Options{
		ProjectRoot: root, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler),
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append([]pipeline.Middleware{backend.Causes()}, stages...)
		},
	})
	is.NoErr(err)
	defer srv.Close()
	type told struct{ line, cause string }
	lines := make(chan told, 16)
	c, err := backend.Project{Server: srv}.Open(func(line []byte, cause string) { lines <- told{string(line), cause} })
	is.NoErr(err)
	send := func(line string) {
		t.Helper()
		is.NoErr(c.Send(t.Context(), []byte(line)))
	}
	send(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	is.True(strings.Contains((<-lines).line, `"protocolVersion":"2025-11-25"`))
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"reports","_meta":{"progressToken":1}}}`)
	progress := <-lines
	is.True(strings.Contains(progress.line, "notifications/progress"))
	is.Equal(progress.cause, `"b"`)
	is.True(strings.Contains((<-lines).line, `"id":"b"`))
	c.Close()
	<-c.Done()
	is.True(errors.Is(c.Send(t.Context(), []byte(`{}`)), backend.ErrEnded))
}
