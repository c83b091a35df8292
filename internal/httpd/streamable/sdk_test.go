package streamable_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// tools are those that these tests call.
var tools = map[string]string{
	"tools/greet/tool.sh":        "#!/bin/sh\necho hello\n",
	"tools/greet/tool.meta.json": `{"name":"greet","description":"greets"}`,
	"tools/count/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
for i in 1 2 3; do mcp_progress "$i" "step $i" 3; done
mcp_emit_text counted
`,
	"tools/wait/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
echo $$ >"$MCPBASH_PROJECT_ROOT/pid"
mcp_progress 1 waiting
while :; do sleep 0.05; done
`,
	"tools/ask/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_emit_text "hello $(mcp_elicit_string "What is your name?" name)"
`,
}

// A guest is the official client in a session.
type guest struct {
	*mcp.ClientSession
	progress chan string
}

func visit(t *testing.T, url, version string, client *http.Client) *guest {
	t.Helper()
	g := &guest{progress: make(chan string, 64)}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { g.progress <- r.Params.Message },
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "value": "Ada"}}, nil
		},
	})
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	g.ClientSession = s
	return g
}

func (g *guest) call(t *testing.T, ctx context.Context, name string) (string, error) {
	t.Helper()
	p := &mcp.CallToolParams{Name: name}
	p.SetProgressToken(name)
	result, err := g.CallTool(ctx, p)
	if err != nil {
		return "", err
	}
	return result.Content[0].(*mcp.TextContent).Text, nil
}

func TestAProjectIsServedToTheOfficialClient(t *testing.T) {
	for _, version := range append(revisions, "2026-07-28") {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			g := visit(t, serve(t, handler(t, backend.Project{Server: open(t, tools)})), version, nil)
			is.Equal(g.InitializeResult().ProtocolVersion, version)
			list, err := g.ListTools(t.Context(), nil)
			is.NoErr(err)
			is.Equal(len(list.Tools), 4)
			text, err := g.call(t, t.Context(), "greet")
			is.NoErr(err)
			is.Equal(text, "hello\n")
		})
	}
}

func TestProgressReachesTheOfficialClient(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			g := visit(t, serve(t, handler(t, backend.Project{Server: open(t, tools)})), version, nil)
			text, err := g.call(t, t.Context(), "count")
			is.NoErr(err)
			is.Equal(text, "counted\n")
			if version == "2026-07-28" { // the older one has no order of messages by which they come before the result
				is.Equal(<-g.progress+<-g.progress+<-g.progress, "step 1step 2step 3")
			}
		})
	}
}

func TestTheOfficialClientIsAsked(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			g := visit(t, serve(t, handler(t, backend.Project{Server: open(t, tools)})), version, nil)
			text, err := g.call(t, t.Context(), "ask")
			is.NoErr(err)
			is.True(strings.Contains(text, "Ada"))
		})
	}
}

func TestTheOfficialClientCancels(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			srv := open(t, tools)
			g := visit(t, serve(t, handler(t, backend.Project{Server: srv})), version, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-g.progress
				cancel()
			}()
			_, err := g.call(t, ctx, "wait")
			is.True(err != nil)
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			text, err := os.ReadFile(filepath.Join(srv.Root(), "pid"))
			is.NoErr(err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			is.NoErr(err)
			tool, err := os.FindProcess(pid)
			is.NoErr(err)
			for tool.Signal(syscall.Signal(0)) == nil {
				<-tick.C // until it was ended, or the test takes too long
			}
		})
	}
}

// breaking breaks the first stream of a response after its first event.
type breaking struct{ broken atomic.Bool }

func (b *breaking) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == "POST" && answer.Header.Get("Content-Type") == "text/event-stream" && b.broken.CompareAndSwap(false, true) {
		answer.Body = &brittle{readCloser: answer.Body}
	}
	return answer, err
}

// A brittle body ends after its first read.
type brittle struct {
	read bool
	readCloser
}

type readCloser = interface {
	Read([]byte) (int, error)
	Close() error
}

func (b *brittle) Read(p []byte) (int, error) {
	if b.read {
		return 0, http.ErrBodyReadAfterClose
	}
	b.read = true
	return b.readCloser.Read(p)
}

func TestTheOfficialClientResumesAStreamThatBroke(t *testing.T) {
	is := is.New(t)
	h := streaming(t, backend.Project{Server: open(t, tools)})
	var resumed atomic.Int32
	h.Resumed = func() { resumed.Add(1) }
	b := &breaking{}
	g := visit(t, serve(t, h), "2025-11-25", &http.Client{Transport: b})
	text, err := g.call(t, t.Context(), "count")
	is.NoErr(err)
	is.Equal(text, "counted\n")
	is.True(b.broken.Load())
	is.True(resumed.Load() > 0)
}

// replicas sends each request to the next of several servers.
type replicas struct {
	hosts []string
	next  atomic.Int32
}

func (b *replicas) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = b.hosts[int(b.next.Add(1))%len(b.hosts)]
	return http.DefaultTransport.RoundTrip(r)
}

func TestAQuestionThatOneReplicaAskedIsAnsweredByAnotherWithTheSameKey(t *testing.T) {
	is := is.New(t)
	key := filepath.Join(t.TempDir(), "key")
	// Replicas serve copies of a project from the same place; here it is the same folder.
	one := openWith(t, tools, key)
	other, err := server.Open(t.Context(), server.Options{ProjectRoot: one.Root(), Environ: os.Environ(), StateKeyFile: key, Log: slog.New(slog.DiscardHandler)})
	is.NoErr(err)
	t.Cleanup(func() { other.Close() })
	balanced := &replicas{}
	for _, srv := range []*server.Server{one, other} {
		balanced.hosts = append(balanced.hosts, strings.TrimPrefix(serve(t, handler(t, backend.Project{Server: srv})), "http://"))
	}
	g := visit(t, "http://replicas", "2026-07-28", &http.Client{Transport: balanced})
	for range 4 { // whichever is asked first
		text, err := g.call(t, t.Context(), "ask")
		is.NoErr(err)
		is.True(strings.Contains(text, "Ada"))
		_, err = g.ListTools(t.Context(), nil)
		is.NoErr(err)
	}
}
