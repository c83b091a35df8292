package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
)

func TestAnyServerOnStdioIsBehindHTTPWithOneCommand(t *testing.T) {
	is := is.New(t)
	t.Setenv("STDIO_SERVER", "1")
	self, err := os.Executable()
	is.NoErr(err)
	r := start(t, "--", self)
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		s := httpdtest.Visit(t, r.url, version, nil)
		is.Equal(text(t, s, "pid"), "a process")
		if version != "2026-07-28" { // where this server cannot ask
			is.Equal(text(t, s, "ask"), "accept")
		}
	}
	s := httpdtest.Visit(t, r.url, "2025-11-25", nil)
	_, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "crash"})
	is.True(strings.Contains(err.Error(), "the server has ended: exit code 9"))
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", nil), "pid"), "a process") // others are not disturbed
}

func TestInterceptorsAreInFrontOfAnyServerOnStdio(t *testing.T) {
	is := is.New(t)
	t.Setenv("STDIO_SERVER", "1")
	self, err := os.Executable()
	is.NoErr(err)
	dir := t.TempDir()
	is.NoErr(os.Mkdir(filepath.Join(dir, "no"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(dir, "no", "no.meta.json"), []byte(`{"type": "validation", "jq": ".name != \"crash\"",
		"description": "not that", "hooks": [{"events": ["tools/call"], "phase": "request"}]}`), 0o644))
	r := start(t, "--interceptors", dir, "--", self)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		s := httpdtest.Visit(t, r.url, version, nil)
		is.Equal(text(t, s, "crash"), "refused by no: not that")
		is.Equal(text(t, s, "pid"), "a process")
	}
	is.NoErr(os.WriteFile(filepath.Join(dir, "no", "no.meta.json"), []byte(`{"type": "validation",
		"jq": "\"you are at \\($context.principal.claims.address)\"", "hooks": [{"events": ["tools/call"], "phase": "request"}]}`), 0o644))
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", nil), "pid"), "refused by no: you are at 127.0.0.1")
	_, figures := get(t, r.base+"/metrics")
	is.True(strings.Contains(figures, `mcp_interceptors_total{interceptor="no",mode="enforce",outcome="refused"} 3`))
}

func TestInterceptorsInFrontOfAnyServerHaveTheEnvironmentOfTheOperator(t *testing.T) {
	is := is.New(t)
	t.Setenv("STDIO_SERVER", "1")
	t.Setenv("RULE_WORD", "closed")
	self, err := os.Executable()
	is.NoErr(err)
	dir := t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(dir, "no.meta.json"), []byte(
		`{"type": "validation", "hooks": [{"events": ["tools/call"], "phase": "request"}]}`), 0o644))
	is.NoErr(os.WriteFile(filepath.Join(dir, "no.sh"), []byte("#!/bin/sh\necho we are $RULE_WORD >&2; exit 1\n"), 0o755))
	r := start(t, "--interceptors", dir, "--", self)
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", nil), "pid"), "refused by no: we are closed")
}

func TestSessionsAreToldApartInARecording(t *testing.T) {
	for _, what := range []string{"project", "program"} {
		is := is.New(t)
		t.Setenv("STDIO_SERVER", "1")
		self, err := os.Executable()
		is.NoErr(err)
		file := filepath.Join(t.TempDir(), "sessions.rec")
		args := []string{"--record", file, "--record-steps"}
		if what == "project" {
			args = append(args, "--project", greeter(t))
		} else {
			args = append(args, "--", self)
		}
		r := start(t, args...)
		for range 2 {
			_, err := httpdtest.Visit(t, r.url, "2025-11-25", nil).ListTools(t.Context(), nil)
			is.NoErr(err)
		}
		is.NoErr(r.stop())
		recorded, err := replay.Read(file)
		is.NoErr(err)
		is.Equal(len(recorded.Conversations), 2)
		text, err := os.ReadFile(file)
		is.NoErr(err)
		is.True(strings.Contains(string(text), `"way":"step","line":3,"direction":"in","kind":"call","method":"tools/list"`))
	}
}

func TestArgumentsInHeadersAreHeldAgainstTheBodyForProgramsToo(t *testing.T) {
	is := is.New(t)
	t.Setenv("STDIO_SERVER", "1")
	self, err := os.Executable()
	is.NoErr(err)
	r := start(t, "--", self)
	g := httpdtest.Visit(t, r.url, "2026-07-28", nil)
	_, err = g.ListTools(t.Context(), nil) // from which the client knows the headers
	is.NoErr(err)
	result, err := g.CallTool(t.Context(), &mcp.CallToolParams{Name: "route", Arguments: map[string]any{"region": "us west"}})
	is.NoErr(err)
	is.Equal(result.Content[0].(*mcp.TextContent).Text, "to us west")
	for header, want := range map[string]int{"us west": 200, "eu": 400, "": 400} {
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"route","arguments":{"region":"us west"},` +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		status, body := posted(t, r.url, call, map[string]string{
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "route", "Mcp-Param-Region": header,
		})
		is.Equal(status, want)
		is.Equal(strings.Contains(body, `"code":-32020`), want == 400)
	}
}
