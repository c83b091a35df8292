package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	mcpbash "github.com/mcp-bash/mcp-bash/v2/server"
)

// TestMain lets the test binary be the program, or a server on stdio, made with the official SDK.
func TestMain(m *testing.M) {
	if code, ran := mcpbash.RanGuard(os.Args[1:], os.Stderr); ran {
		os.Exit(code)
	}
	if os.Getenv("MCP_HTTP_PROGRAM") != "" {
		main()
	}
	if store := os.Getenv("NATS_STORE"); store != "" {
		serveNATS(store, os.Getenv("NATS_ADDRESS"))
		return
	}
	if os.Getenv("STDIO_SERVER") == "" {
		os.Exit(m.Run())
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "stdio", Version: "1"}, nil)
	type nothing struct{}
	mcp.AddTool(s, &mcp.Tool{Name: "pid"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a process"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "ok?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer.Action}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "route", InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{"region": map[string]any{"type": "string", "x-mcp-header": "Region"}},
	}}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
		Region string `json:"region"`
	}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "to " + in.Region}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "crash"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		os.Exit(9)
		return nil, nil, nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	os.Exit(0)
}

// A running program is mcp-http in this process.
type running struct {
	url   string // of the endpoint
	base  string
	lines []string // that it wrote until it served
	stop  func() error
}

var endpoint = regexp.MustCompile(`url=(\S+)/mcp`)

// start runs the program until the test ends.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	cmd := command(ctx, io.Discard, in, os.Environ())
	cmd.SetArgs(append([]string{"--listen", "127.0.0.1:0", "--grace", "10s"}, args...))
	go func() {
		ended <- cmd.Execute()
		in.Close()
	}()
	r := &running{}
	lines := bufio.NewScanner(out)
	for r.url == "" && lines.Scan() {
		r.lines = append(r.lines, lines.Text())
		if found := endpoint.FindStringSubmatch(lines.Text()); found != nil {
			r.base, r.url = found[1], found[1]+"/mcp"
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if r.url == "" {
		t.Fatalf("it has ended: %v", <-ended)
	}
	var over error
	r.stop = func() error {
		if cancel != nil {
			cancel()
			cancel, over = nil, <-ended
		}
		return over
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// greeter is a project with a tool.
func greeter(t *testing.T) string {
	t.Helper()
	return httpdtest.Project(t, map[string]string{
		"tools/greet/tool.sh":        "#!/bin/sh\necho hello\n",
		"tools/greet/tool.meta.json": `{"name":"greet","description":"greets"}`,
	})
}

func TestTheLogIsAlsoWrittenToTheFileThatIsNamed(t *testing.T) {
	is := is.New(t)
	file := filepath.Join(t.TempDir(), "log")
	t.Setenv("MCPBASH_LOG_FILE", file)
	is.NoErr(start(t, "--project", greeter(t)).stop())
	text, err := os.ReadFile(file)
	is.NoErr(err)
	is.True(strings.Contains(string(text), "msg=serving"))
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// A caller is a session of the official client.
type caller interface {
	CallTool(context.Context, *mcp.CallToolParams) (*mcp.CallToolResult, error)
}

func text(t *testing.T, s caller, tool string) string {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func TestAProjectIsBehindHTTPWithOneCommand(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t))
	is.True(strings.Contains(strings.Join(r.lines, "\n"), "for local tests and demos"))
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		is.Equal(text(t, httpdtest.Visit(t, r.url, version, nil), "greet"), "hello\n")
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: r.base + "/sse"}, &mcp.ClientSessionOptions{ProtocolVersion: "2024-11-05"})
	is.NoErr(err)
	is.Equal(text(t, s, "greet"), "hello\n")
	is.NoErr(s.Close())
	status, body := get(t, r.base+"/healthz")
	is.Equal(status, 200)
	is.Equal(body, "ok\n")
	_, body = get(t, r.base+"/metrics")
	is.True(strings.Contains(body, `mcp_http_requests_total{code="200",endpoint="mcp",method="POST"}`))
	waittest.Until(t, "one session is open, as the server has seen that the legacy client left", func() bool {
		_, body := get(t, r.base+"/metrics")
		return strings.Contains(body, "mcp_http_sessions_open 1\n")
	})
	is.NoErr(r.stop()) // though a client is there
}

func TestStreamsThatAreQuietDoNotHoldUpTheEnd(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t), "--grace", "1h")
	s := httpdtest.Visit(t, r.url, "2025-11-25", nil)
	var streams []*bufio.Scanner
	for _, c := range []struct{ method, url, version, body string }{
		{"GET", r.base + "/sse", "", ""},
		{"GET", r.url, "2025-11-25", ""},
		{"POST", r.url, "2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`},
	} {
		q, err := http.NewRequestWithContext(t.Context(), c.method, c.url, strings.NewReader(c.body))
		is.NoErr(err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": c.version, "Mcp-Method": "subscriptions/listen", "Mcp-Session-Id": s.ID(),
		} {
			q.Header.Set(name, value)
		}
		a, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		defer a.Body.Close()
		is.Equal(a.Header.Get("Content-Type"), "text/event-stream")
		lines := bufio.NewScanner(a.Body)
		is.True(lines.Scan()) // it has begun
		streams = append(streams, lines)
	}
	is.NoErr(r.stop())
	for _, lines := range streams {
		for lines.Scan() {
			continue
		}
		is.NoErr(lines.Err()) // each has its proper end
	}
}

func TestACallThatOutlastsTheEndIsAnsweredWithTheReason(t *testing.T) {
	is := is.New(t)
	r := start(t, "--grace", "0s", "--keep-alive", "50ms", "--project", httpdtest.Project(t, map[string]string{
		"tools/wait/tool.sh":        "#!/bin/sh\nexec sleep 600\n",
		"tools/wait/tool.meta.json": `{"name":"wait","description":"waits","timeoutSecs":600}`,
	}))
	s := httpdtest.Visit(t, r.url, "2025-11-25", nil)
	const claim = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	var bodies []io.Reader
	for version, meta := range map[string]string{"2025-11-25": "", "2026-07-28": claim} {
		q, err := http.NewRequestWithContext(t.Context(), "POST", r.url, strings.NewReader(
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait","arguments":{}`+meta+`}}`))
		is.NoErr(err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "wait",
		} {
			q.Header.Set(name, value)
		}
		if meta == "" {
			q.Header.Set("Mcp-Session-Id", s.ID())
		}
		a, err := http.DefaultClient.Do(q) // it has become a stream
		is.NoErr(err)
		defer a.Body.Close()
		bodies = append(bodies, a.Body)
	}
	is.NoErr(r.stop())
	for _, body := range bodies {
		text, err := io.ReadAll(body)
		is.NoErr(err)
		is.True(strings.Contains(string(text), `"id":7,"error":{"code":-32603,"message":"internal error: the server is ending`))
	}
}

func TestTheIDOfASessionNamesItsReplica(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t), "--replica", "blue-1")
	s := httpdtest.Visit(t, r.url, "2025-11-25", nil)
	is.True(strings.HasPrefix(s.ID(), "blue-1."))
	is.Equal(text(t, s, "greet"), "hello\n")
	for id, want := range map[string]string{
		"green-1.X": "the session is on another replica",
		"blue-1.X":  "unknown session",
	} {
		q, err := http.NewRequestWithContext(t.Context(), "GET", r.url, nil)
		is.NoErr(err)
		q.Header.Set("Mcp-Session-Id", id)
		q.Header.Set("Accept", "text/event-stream")
		a, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		body, err := io.ReadAll(a.Body)
		is.NoErr(err)
		is.NoErr(a.Body.Close())
		is.Equal(a.StatusCode, 404) // its client begins another one
		is.True(strings.Contains(string(body), want))
	}
}

// newBroker returns a NATS server for replicas, which find their common key.
func newBroker(t *testing.T) *natsserver.Server {
	t.Helper()
	is := is.New(t)
	broker, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT,
		JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	is.NoErr(err)
	go broker.Start()
	t.Cleanup(broker.Shutdown)
	is.True(broker.ReadyForConnections(time.Minute))
	t.Setenv("MCPBASH_STATE_KEY_FILE", filepath.Join(t.TempDir(), "key"))
	return broker
}

func TestAProjectIsServedByOneOfSeveralReplicas(t *testing.T) {
	is := is.New(t)
	broker := newBroker(t)
	r := start(t, "--project", greeter(t), "--cluster", broker.ClientURL(), "--cluster-name", "here", "--replica", "a")
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2026-07-28", nil), "greet"), "hello\n")

	conn, err := nats.Connect(broker.ClientURL())
	is.NoErr(err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	is.NoErr(err)
	alive, err := js.KeyValue(t.Context(), "here-replicas")
	is.NoErr(err)
	keys, err := alive.Keys(t.Context())
	is.NoErr(err)
	is.Equal(len(keys), 1)
	is.NoErr(r.stop())
	_, err = alive.Keys(t.Context())
	is.True(errors.Is(err, jetstream.ErrNoKeysFound)) // it has left
}

func TestAReplicaWithoutTheKeyOfTheOthersDoesNotStart(t *testing.T) {
	is := is.New(t)
	key := filepath.Join(t.TempDir(), "key")
	is.NoErr(os.WriteFile(key, []byte("too short"), 0o600))
	t.Setenv("MCPBASH_STATE_KEY_FILE", key)
	cmd := command(t.Context(), io.Discard, io.Discard, os.Environ())
	cmd.SetArgs([]string{"--project", greeter(t), "--listen", "127.0.0.1:0", "--cluster", "nats://127.0.0.1:1"})
	err := cmd.Execute()
	is.True(err != nil)
	is.True(strings.HasPrefix(err.Error(), "--cluster: MCPBASH_STATE_KEY_FILE: "))
	is.True(strings.Contains(err.Error(), key))
}

func TestAVariableOfTheOperatorHoldsOverHTTPToo(t *testing.T) {
	is := is.New(t)
	t.Setenv("MCPBASH_TOOL_ALLOWLIST", "another")
	r := start(t, "--project", greeter(t), "--production")
	is.True(!strings.Contains(strings.Join(r.lines, "\n"), "for local tests and demos"))
	list, err := httpdtest.Visit(t, r.url, "2025-11-25", nil).ListTools(t.Context(), nil)
	is.NoErr(err)
	is.Equal(len(list.Tools), 0)
}

func TestSessionsOfAllTransportsAreCountedTogether(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t), "--max-sessions", "1")
	first := httpdtest.Visit(t, r.url, "2025-11-25", nil)
	status, _ := get(t, r.base+"/sse")
	is.Equal(status, 503)
	is.NoErr(first.Close())
	a, err := http.Get(r.base + "/sse")
	is.NoErr(err)
	defer a.Body.Close()
	is.Equal(a.StatusCode, 200) // the place is free
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	_, err = c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.url, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	is.True(err != nil)
}

func TestAFolderOfAVariableThatDoesNotExistIsReported(t *testing.T) {
	is := is.New(t)
	t.Setenv("MCPBASH_TOOLS_DIR", "nowhere")
	r := start(t, "--project", greeter(t))
	is.True(strings.Contains(strings.Join(r.lines, "\n"), "MCPBASH_TOOLS_DIR=nowhere: is not a folder, so nothing is read from it"))
}

// posted posts a message, with those of the headers that are not empty, and returns the answer.
func posted(t *testing.T, url, message string, headers map[string]string) (status int, body string) {
	t.Helper()
	is := is.New(t)
	q, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(message))
	is.NoErr(err)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		if value != "" {
			q.Header.Set(name, value)
		}
	}
	a, err := http.DefaultClient.Do(q)
	is.NoErr(err)
	all, err := io.ReadAll(a.Body)
	is.NoErr(err)
	is.NoErr(a.Body.Close())
	return a.StatusCode, string(all)
}

func TestAMessageMayNotBeLongerThanTheVariableSays(t *testing.T) {
	is := is.New(t)
	t.Setenv("MCPBASH_MAX_MESSAGE_BYTES", "4096")
	r := start(t, "--project", greeter(t))
	for size, want := range map[int]int{4000: 200, 4097: 413} {
		const head, tail = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`, `","version":"1"}}}`
		status, body := posted(t, r.url, head+strings.Repeat("x", size-len(head+tail))+tail, nil)
		is.Equal(status, want)
		is.Equal(strings.Contains(body, `"code":-32600`), want == 413)
	}
}
