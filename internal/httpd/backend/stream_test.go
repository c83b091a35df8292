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
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

const reports = `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_progress 50 half 100
mcp_emit_text done
`

// A told is what a receiver got.
type told struct{ line, cause string }

// converse begins a session with a project of tools, by their names. Send sends a line of the client.
func converse(t *testing.T, tools map[string]string) (c backend.Conn, send func(string), lines <-chan told) {
	t.Helper()
	is := is.New(t)
	root := t.TempDir()
	for name, text := range tools {
		is.NoErr(os.MkdirAll(filepath.Join(root, "tools", name), 0o755))
		is.NoErr(os.WriteFile(filepath.Join(root, "tools", name, "tool.sh"), []byte(text), 0o755))
	}
	srv, err := server.Open(t.Context(), server.Options{
		ProjectRoot: root, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler),
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append([]pipeline.Middleware{backend.Causes()}, stages...)
		},
	})
	is.NoErr(err)
	t.Cleanup(func() { srv.Close() })
	all := make(chan told, 16)
	c, err = backend.ServeFunc(srv.Serve).Open("", func(line []byte, cause string) { all <- told{string(line), cause} })
	is.NoErr(err)
	send = func(line string) {
		t.Helper()
		is.NoErr(c.Send(t.Context(), []byte(line)))
	}
	send(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	is.True(strings.Contains((<-all).line, `"protocolVersion":"2025-11-25"`))
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c, send, all
}

func TestWhatACallOfAProjectCausesIsKnownToBeItsOwn(t *testing.T) {
	is := is.New(t)
	c, send, lines := converse(t, map[string]string{"reports": reports})
	send(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"reports","_meta":{"progressToken":1}}}`)
	progress := <-lines
	is.True(strings.Contains(progress.line, "notifications/progress"))
	is.Equal(progress.cause, `"b"`)
	is.True(strings.Contains((<-lines).line, `"id":"b"`))
	c.Close()
	<-c.Done()
	is.True(errors.Is(c.Send(t.Context(), []byte(`{}`)), backend.ErrEnded))
	is.Equal(len(lines), 0) // of a call that was answered nothing else is said
}

func TestThePolicyOfAProjectIsToldWhoSendsEachMessageOfASession(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.MkdirAll(filepath.Join(root, "tools", "deploy"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "tools", "deploy", "tool.sh"), []byte(reports), 0o755))
	is.NoErr(os.MkdirAll(filepath.Join(root, "server.d"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "server.d", "policy.sh"), []byte(`mcp_tools_policy_check() {
	mcp_tools_error -32001 "$MCP_CALLER_ISSUER|$MCP_CALLER_SUBJECT|$MCP_CALLER_SCOPES|$MCP_CALLER_SESSION|$MCP_CALLER_ADDRESS"
}
`), 0o644))
	t.Setenv("MCP_CALLER_SUBJECT", "root") // of the operator, which says nothing of a caller
	srv, err := server.Open(t.Context(), server.Options{
		ProjectRoot: root, Environ: os.Environ(), HookEnv: os.Environ(), Log: slog.New(slog.DiscardHandler),
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append([]pipeline.Middleware{backend.Causes()}, stages...)
		},
	})
	is.NoErr(err)
	t.Cleanup(func() { srv.Close() })
	lines := make(chan string, 16)
	c, err := backend.ServeFunc(srv.Serve).Open("ada", func(line []byte, _ string) { lines <- string(line) })
	is.NoErr(err)
	t.Cleanup(c.Close)
	send := func(caller mcp.Caller, line string) {
		t.Helper()
		is.NoErr(c.Send(mcp.WithCaller(t.Context(), caller), []byte(line)))
	}
	call := func(caller mcp.Caller) string {
		t.Helper()
		send(caller, `{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"deploy"}}`)
		return pipeline.Parse([]byte(<-lines)).Fault().Message
	}
	ada := mcp.Caller{ID: "ada", Issuer: "https://login.example", Subject: "Ada L", Scopes: []string{"read", "ops"}, Session: "7",
		Address: "192.0.2.1"}
	send(ada, `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	<-lines
	send(ada, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	is.Equal(call(ada), "https://login.example|Ada L|read ops|7|192.0.2.1")
	ada.Scopes = nil // of another token of the same user
	is.Equal(call(ada), "https://login.example|Ada L||7|192.0.2.1")
	is.Equal(call(mcp.Caller{ID: "bob", Subject: "bob"}), "||||") // whose session it is not
}
