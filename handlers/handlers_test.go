package handlers_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/mcp/mcptest"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// server answers with real handlers over a project of the given tools, each a
// metadata file. Its tools are not run: run tells what it was asked.
type server struct {
	t       *testing.T
	session *mcp.Session
	methods *handlers.Methods
	allow   []string // tools that the policy allows; all if empty
	asked   run.Call
	check   *mcptest.Checker
}

func newServer(t *testing.T, tools map[string]string, allow ...string) *server {
	root := t.TempDir()
	for name, text := range map[string]string{
		"resources/a.md":             "# A",
		"resources/a.md.meta.json":   `{"title":"The A","uri":"notes://a","annotations":{"priority":1.0}}`,
		"resources/t.meta.json":      `{"name":"t","uriTemplate":"notes://{id}","title":"T"}`,
		"prompts/review.md":          "Review {{code}}",
		"prompts/review.meta.json":   `{"title":"Review","arguments":[{"name":"code","title":"Code","required":true},{"name":"lang","values":["go","Rust","cargo"]}]}`,
		"prompts/scripted.md":        "x",
		"prompts/scripted.meta.json": `{"arguments":[{"name":"a"}]}`,
	} {
		write(t, filepath.Join(root, name), text)
	}
	write(t, filepath.Join(root, "prompts/scripted.completion.sh"), "#!/bin/sh\n")
	for name, metadata := range tools {
		dir := filepath.Join(root, "tools", name)
		write(t, filepath.Join(dir, "tool.sh"), "#!/bin/sh\n")
		write(t, filepath.Join(dir, "tool.meta.json"), metadata)
	}
	p, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, session: &mcp.Session{}, allow: allow, check: mcptest.New(t)}
	log := slog.New(slog.DiscardHandler)
	logging := handlers.Logging{Session: s.session, Log: log}
	who := func(bool) (mcp.Implementation, string) {
		return mcp.Implementation{Name: "probe", Title: "Probe", Version: "1", Description: "d"}, "Be kind."
	}
	run := func(_ context.Context, c run.Call) (*mcp.CallToolResult, error) {
		s.asked = c
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text("done")}}, nil
	}
	known := &roots.Roots{Ask: handlers.AskRoots(s.session), Log: log, Fallback: roots.Folders(root, ".")}
	offers := mcp.ServerCapabilities{Logging: &struct{}{}, Tools: &mcp.ListChanged{}, Completions: &struct{}{}}
	s.methods = handlers.Table(handlers.Families{
		Envelope:  handlers.Envelope{Server: func() mcp.Implementation { i, _ := who(false); return i }},
		Lifecycle: handlers.Lifecycle{Session: s.session, Offers: offers, Server: who, Log: log},
		Listens:   &handlers.Listens{Offers: offers, Log: log},
		Logging:   logging,
		Roots:     handlers.Roots{Known: known},
		Tools:     handlers.Tools{Roots: known, Session: s.session, Catalog: p, Policy: &hooks.Policy{Allow: s.allow}, Run: run, Logging: logging},
		Resources: &handlers.Resources{Session: s.session, Catalog: p, Read: s.read, Subscriptions: s.subscriptions()},
		Prompts: &handlers.Prompts{Session: s.session, Catalog: p, Render: func(_ context.Context, p *catalog.Prompt, arguments map[string]string, _ *mcp.Revision, _ sdk.Call) ([]mcp.PromptMessage, error) {
			return []mcp.PromptMessage{{Role: p.Role, Content: mcp.Text(fmt.Sprint(arguments))}}, nil
		}},
		Completion: &handlers.Completion{Session: s.session, Catalog: p, Run: func(_ context.Context, c catalog.Completion, _ mcp.CompleteParams, offset, limit int) ([]string, int, int, error) {
			return []string{filepath.Base(c.Path)}, offset + limit, 7, nil
		}},
	})
	return s
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// read returns the URI as the text of every resource, but for none://.
func (s *server) read(_ context.Context, uri string) (any, error) {
	if strings.HasPrefix(uri, "none:") {
		return nil, pipeline.Errorf(mcp.CodeResourceNotFound, "Resource not found")
	}
	return []struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	}{{uri, uri}}, nil
}

func (s *server) subscriptions() *handlers.Subscriptions {
	return &handlers.Subscriptions{Watcher: watch.New(watch.Options{
		Digest: func(ctx context.Context, uri string) (string, error) {
			_, err := s.read(ctx, uri)
			return uri, err
		},
		Gone: func(error) bool { return true },
		Log:  slog.New(slog.DiscardHandler),
	})}
}

// call returns the answer to a call, from its result or error on.
func (s *server) call(method, params string) string {
	s.t.Helper()
	if params != "" {
		params = `,"params":` + params
	}
	sent := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s"%s}`, method, params)
	got := pipetest.Chain(s.t, nil, s.methods.Serve, sent)
	if len(got) != 1 {
		s.t.Fatalf("%d answers", len(got))
	}
	s.check.Played([]byte(sent), []byte(got[0]))
	return strings.TrimSuffix(strings.TrimPrefix(got[0], `{"jsonrpc":"2.0","id":1,`), "}")
}

func TestInitializeAgreesOnARevision(t *testing.T) {
	for _, c := range []struct{ asked, agreed string }{
		{"2024-11-05", "2024-11-05"},
		{"2025-03-26", "2025-03-26"},
		{"2025-06-18", "2025-06-18"},
		{"2025-11-25", "2025-11-25"},
		{"1999-01-01", "2025-11-25"},
		{"2026-07-28", "2025-11-25"},
	} {
		is := is.New(t)
		s := newServer(t, nil)
		got := s.call("initialize", `{"protocolVersion":"`+c.asked+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
		is.True(strings.HasPrefix(got, `"result":{"protocolVersion":"`+c.agreed+`",`)) // L-01, L-02
		is.Equal(s.session.Revision().Version, c.agreed)
	}
}

func TestInitializeDescribesTheServerForTheRevision(t *testing.T) {
	is := is.New(t)
	is.Equal(newServer(t, nil).call("initialize", `{}`), `"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"completions":{},"tools":{}},`+
		`"serverInfo":{"name":"probe","title":"Probe","version":"1","description":"d"},"instructions":"Be kind."}`)
	is.Equal(newServer(t, nil).call("initialize", `{"protocolVersion":"2024-11-05"}`), `"result":{"protocolVersion":"2024-11-05","capabilities":{"logging":{},"tools":{}},`+
		`"serverInfo":{"name":"probe","version":"1"},"instructions":"Be kind."}`) // no title, no description
}

func TestAMalformedInitializeIsRefusedAndOpensNothing(t *testing.T) {
	for _, params := range []string{`{"protocolVersion":5}`, `{"capabilities":[]}`, `{"clientInfo":"me"}`, `[1]`} {
		is := is.New(t)
		s := newServer(t, nil)
		is.True(strings.HasPrefix(s.call("initialize", params), `"error":{"code":-32602,`)) // L-03
		is.Equal(s.session.Phase(), mcp.Unopened)                                           // a correct one may follow
	}
}

func TestSetLevelTakesTheEightLevels(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	is.Equal(s.session.Level(), mcp.Info) // until the client sets it
	for _, level := range []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
		is.Equal(s.call("logging/setLevel", `{"level":"`+level+`"}`), `"result":{}`)
		is.Equal(string(s.session.Level()), level)
	}
	for _, level := range []string{`"trace"`, `"WARN"`, `5`, `null`} {
		is.True(strings.HasPrefix(s.call("logging/setLevel", `{"level":`+level+`}`), `"error":{"code":-32602,`)) // LG-03
	}
}

func TestToolsAreListedByNameForTheRevision(t *testing.T) {
	is := is.New(t)
	s := newServer(t, map[string]string{
		"b": `{"title":"B","description":"bee","inputSchema":{"type":"object","properties":{"n":{"maximum":1.0}},"$defs":{}},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"timeoutSecs":5}`,
		"a": `{}`,
	})
	is.Equal(s.call("tools/list", ""), `"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{}}},`+
		`{"name":"b","title":"B","description":"bee","inputSchema":{"type":"object","properties":{"n":{"maximum":1.0}},"$defs":{}},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}],`+
		`"_meta":{"mcpbash/total":2}}`) // the author's bytes, without internals
	s.call("initialize", `{"protocolVersion":"2024-11-05"}`)
	is.True(strings.Contains(s.call("tools/list", ""), `{"name":"b","description":"bee","inputSchema":{"type":"object","properties":{"n":{"maximum":1.0}},"$defs":{}}}`))
}

func TestPagesOfToolsJoinToTheWholeList(t *testing.T) {
	is := is.New(t)
	tools := map[string]string{}
	for i := range 7 {
		tools[fmt.Sprintf("t%d", i)] = `{}`
	}
	s := newServer(t, tools)
	names, cursor := "", ""
	for range 4 {
		got := s.call("tools/list", `{"limit":2`+cursor+`}`)
		for _, part := range strings.Split(got, `"name":"`)[1:] {
			names += part[:2] + " "
		}
		_, next, more := strings.Cut(got, `"nextCursor":"`)
		if !more {
			break
		}
		cursor = `,"cursor":"` + next[:strings.Index(next, `"`)] + `"`
	}
	is.Equal(names, "t0 t1 t2 t3 t4 t5 t6 ") // each once, in order
	is.Equal(s.call("tools/list", `{"cursor":"bogus"}`), `"error":{"code":-32602,"message":"Invalid cursor"}`)
}

func TestAMalformedCallIsAnError(t *testing.T) {
	for _, c := range []struct{ params, want string }{
		{`{}`, `"error":{"code":-32602,"message":"invalid params: /name is missing: it names the tool to call"}`},
		{`{"name":7}`, `"error":{"code":-32602,"message":"invalid params: /name must be a string, not a number"}`},
		{`{"name":"a","arguments":[1]}`, `"error":{"code":-32602,"message":"invalid params: /arguments must be an object"}`},
		{`{"name":"a","_meta":{"progressToken":{}}}`, `"error":{"code":-32602,"message":"invalid params: /_meta/progressToken must be a string or an integer"}`},
		{`{"name":"nope"}`, `"error":{"code":-32602,"message":"Unknown tool: nope"}`},
	} {
		is := is.New(t)
		is.Equal(newServer(t, map[string]string{"a": `{}`}).call("tools/call", c.params), c.want) // T-02, T-03
	}
}

func TestACallReachesTheRuntimeAsTheClientMadeIt(t *testing.T) {
	is := is.New(t)
	s := newServer(t, map[string]string{"a": `{}`})
	is.Equal(s.call("tools/call", `{"name":"a","arguments":{ "x":1.0 },"timeoutSecs":2.5,"_meta":{"progressToken":0}}`),
		`"result":{"content":[{"type":"text","text":"done"}],"isError":false}`)
	is.Equal(string(s.asked.Args), `{ "x":1.0 }`)
	is.Equal(s.asked.Timeout.String(), "2.5s")
	is.Equal(string(s.asked.Meta), `{"progressToken":0}`)
	s.call("tools/call", `{"name":"a","timeoutSecs":1e-12}`)
	is.True(*s.asked.Timeout > 0) // not 0, which means no limit
	s.call("tools/call", `{"name":"a","arguments":null,"timeoutSecs":"soon"}`)
	is.Equal(len(s.asked.Args), 0)  // null counts as absent
	is.True(s.asked.Timeout == nil) // invalid numbers of seconds are ignored
}

func TestARefusedToolIsNeitherListedNorCalled(t *testing.T) {
	is := is.New(t)
	s := newServer(t, map[string]string{"a": `{}`, "b": `{}`}, "b")
	is.Equal(s.call("tools/list", ""), `"result":{"tools":[{"name":"b","inputSchema":{"type":"object","properties":{}}}],"_meta":{"mcpbash/total":1}}`)
	is.Equal(s.call("tools/call", `{"name":"a"}`), `"error":{"code":-32602,"message":"Tool 'a' blocked by policy (not in MCPBASH_TOOL_ALLOWLIST)"}`)
}

func TestWithoutAProjectOneToolExplainsHowToCreateOne(t *testing.T) {
	is := is.New(t)
	start := handlers.GettingStarted{}
	listed, err := start.Tools(t.Context())
	is.NoErr(err)
	is.Equal(len(listed.Items), 1)
	found, err := start.Tool(t.Context(), listed.Items[0].Name)
	is.NoErr(err)
	result, err := start.Run(t.Context(), run.Call{Tool: found})
	is.NoErr(err)
	is.True(strings.Contains(string(result.Content[0].JSON()), "MCPBASH_PROJECT_ROOT"))
}
