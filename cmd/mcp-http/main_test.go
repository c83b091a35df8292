package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
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

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
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

func TestAProjectIsServedByOneOfSeveralReplicas(t *testing.T) {
	is := is.New(t)
	broker, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	is.NoErr(err)
	go broker.Start()
	defer broker.Shutdown()
	is.True(broker.ReadyForConnections(time.Minute))
	t.Setenv("MCPBASH_STATE_KEY_FILE", filepath.Join(t.TempDir(), "key"))
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

func TestAClientNeedsTheToken(t *testing.T) {
	is := is.New(t)
	token := filepath.Join(t.TempDir(), "token")
	const secret = "0123456789abcdef0123456789abcdef"
	is.NoErr(os.WriteFile(token, []byte(secret+"\n"), 0o600))
	r := start(t, "--project", greeter(t), "--token-file", token)
	for _, path := range []string{"/mcp", "/sse", "/messages", "/metrics"} {
		status, _ := get(t, r.base+path)
		is.Equal(status, 401)
	}
	status, _ := get(t, r.base+"/healthz")
	is.Equal(status, 200)
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", &http.Client{Transport: bearer(secret)}), "greet"), "hello\n")
}

func TestAProbeMayNameAnyHost(t *testing.T) {
	is := is.New(t)
	token := filepath.Join(t.TempDir(), "token")
	const secret = "0123456789abcdef0123456789abcdef"
	is.NoErr(os.WriteFile(token, []byte(secret), 0o600))
	r := start(t, "--project", greeter(t), "--token-file", token)
	for path, want := range map[string]int{"/healthz": 200, "/metrics": 200, "/mcp": 403} {
		q, err := http.NewRequest("GET", r.base+path, nil)
		is.NoErr(err)
		q.Host = "10.244.0.5:8080"
		q.Header.Set("Authorization", "Bearer "+secret)
		answer, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		answer.Body.Close()
		is.Equal(answer.StatusCode, want)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
	is.NoErr(err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /healthz HTTP/1.0\r\n\r\n") // as load balancers do
	is.NoErr(err)
	answer, err := io.ReadAll(conn)
	is.NoErr(err)
	is.True(strings.HasPrefix(string(answer), "HTTP/1.0 200 "))
}

func TestAPageOfAnotherOriginIsRefused(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t))
	for _, path := range []string{"/mcp", "/sse", "/messages", "/metrics"} {
		q, err := http.NewRequest("GET", r.base+path, nil)
		is.NoErr(err)
		q.Header.Set("Origin", "https://evil.example")
		answer, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		answer.Body.Close()
		is.Equal(answer.StatusCode, 403)
	}
}

func TestWhatCannotBeServedIsRefusedWithAReason(t *testing.T) {
	project, short := greeter(t), filepath.Join(t.TempDir(), "token")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(short, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"", "nothing to serve: give --project DIR, or a command after --"},
		{"--project " + project + " -- cat", "give either --project or a command after --, not both"},
		{"cat", `unexpected argument "cat"; write -- in front of a command`},
		{"--nope", "unknown flag: --nope; `mcp-http --help` lists all"},
		{"--project /nowhere", "--project /nowhere: "},
		{"-- no-such-program-anywhere", "no-such-program-anywhere cannot be started: "},
		{"--project " + project + " --listen 0.0.0.0:0", "--listen 0.0.0.0:0: other machines could use it; give --token-file or --oauth-issuer"},
		{"--project " + project + " --listen :0", "--listen :0: other machines could use it"},
		{"--project " + project + " --listen here", "--listen here: "},
		{"--project " + project + " --token-file " + short, "the token has 6 characters, and must have at least 32"},
		{"--project " + project + " --token-file /nowhere", "--token-file: open /nowhere: "},
		{"--project " + project + " --oauth-issuer https://issuer.example", "--oauth-resource is missing"},
		{"--project " + project + " --oauth-scope a", "--oauth-issuer is missing"},
		{"--project " + project + " --oauth-issuer http://issuer.example --oauth-resource https://a.example/mcp", "must be an https URL"},
		{"--project " + project + " --tls-cert a", "--tls-cert and --tls-key need each other"},
		{"--project " + project + " --tls-cert /nowhere --tls-key /nowhere", "--tls-cert, --tls-key: open /nowhere: "},
		{"--project " + project + " --trust-network --token-file " + short, "--trust-network lets in requests without a token"},
		{"--project " + project + " --cluster-ca a", "--cluster is missing"},
		{"--cluster nats://127.0.0.1:1 -- cat", "--cluster needs --project"},
		{"--project " + project + " --cluster nats://127.0.0.1:1", "--cluster: set MCPBASH_STATE_KEY_FILE"},
		{"--project " + project + " --cluster nats://127.0.0.1:1 --cluster-key a", "--cluster-cert and --cluster-key need each other"},
		{"--project " + project + " --worker", "--worker needs --cluster"},
		{"--project " + project + " --use-workers", "--use-workers needs --cluster"},
		{"--project " + project + " --cluster nats://127.0.0.1:1 --worker --use-workers", "give one of --worker and --use-workers only"},
		{"--project " + project + " --cluster nats://127.0.0.1:1 --worker --slots -1", "--slots must be 1 or more"},
		{"--project " + project + " --cluster nats://127.0.0.1:1 --worker", "--cluster: cannot use NATS"},
		{"top", "--cluster is missing"},
		{"--project " + project + " --record-steps", "--record-steps needs --record"},
		{"--project " + project + " --cluster nats://127.0.0.1:1 --worker --record x", "--record is not for workers"},
		{"--project " + project + " --max-waiting 0", "--max-waiting must be 1 or more"},
		{"--project " + project + " --replica a.b", "--replica a.b: must be 1 to 63 letters, digits, - or _"},
		{"--project " + project + " --max-sessions 0", "--max-sessions must be 1 or more"},
		{"--project " + project + " --allow-origin example.com", `origin "example.com": must be a scheme and a host`},
	} {
		t.Run(c.args, func(t *testing.T) {
			is := is.New(t)
			// In a process of its own, since a server takes unknown children of its process for what its
			// scripts have left behind, and those of the next tests would be among them.
			refused := exec.Command(self, strings.Fields(c.args)...)
			refused.Env = append(refused.Environ(), "MCP_HTTP_PROGRAM=1")
			text, _ := refused.CombinedOutput() // the exit code says more than the error
			is.Equal(refused.ProcessState.ExitCode(), 2)
			is.True(strings.HasPrefix(string(text), "mcp-http: "))
			if !strings.Contains(string(text), c.want) {
				t.Errorf("%s", text)
			}
		})
	}
}

func TestAReplicaIsReadyWhileItReachesNATS(t *testing.T) {
	is := is.New(t)
	broker, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	is.NoErr(err)
	go broker.Start()
	defer broker.Shutdown()
	is.True(broker.ReadyForConnections(time.Minute))
	t.Setenv("MCPBASH_STATE_KEY_FILE", filepath.Join(t.TempDir(), "key"))
	r := start(t, "--project", greeter(t), "--cluster", broker.ClientURL(), "--replica", "a")
	status, body := get(t, r.base+"/readyz")
	is.Equal(status, 200)
	is.Equal(body, "ok\n")
	broker.Shutdown()
	waittest.Until(t, "the replica says what it lacks", func() bool {
		status, body := get(t, r.base+"/readyz")
		return status == 503 && body == "NATS cannot be reached\n"
	})
	status, _ = get(t, r.base+"/healthz")
	is.Equal(status, 200) // a restart would not help
}
