package streamable_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// tools are the tools that these tests call.
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

func TestAProjectIsServedToTheOfficialClient(t *testing.T) {
	for _, version := range append(revisions, "2026-07-28") {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			g := httpdtest.Visit(t, serve(t, httpdtest.Handler(t, backend.ServeFunc(open(t, tools).Serve))), version, nil)
			is.Equal(g.InitializeResult().ProtocolVersion, version)
			list, err := g.ListTools(t.Context(), nil)
			is.NoErr(err)
			is.Equal(len(list.Tools), 4)
			text, err := g.Call(t.Context(), "greet")
			is.NoErr(err)
			is.Equal(text, "hello\n")
		})
	}
}

func TestProgressReachesTheOfficialClient(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			g := httpdtest.Visit(t, serve(t, httpdtest.Handler(t, backend.ServeFunc(open(t, tools).Serve))), version, nil)
			text, err := g.Call(t.Context(), "count")
			is.NoErr(err)
			is.Equal(text, "counted")
			if version == "2026-07-28" { // in older revisions progress may arrive after the result
				is.Equal(<-g.Progress+<-g.Progress+<-g.Progress, "step 1step 2step 3")
			}
		})
	}
}

func TestTheOfficialClientIsAsked(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			g := httpdtest.Visit(t, serve(t, httpdtest.Handler(t, backend.ServeFunc(open(t, tools).Serve))), version, nil)
			text, err := g.Call(t.Context(), "ask")
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
			g := httpdtest.Visit(t, serve(t, httpdtest.Handler(t, backend.ServeFunc(srv.Serve))), version, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-g.Progress
				cancel()
			}()
			_, err := g.Call(ctx, "wait")
			is.True(err != nil)
			text, err := os.ReadFile(filepath.Join(srv.Root(), "pid"))
			is.NoErr(err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			is.NoErr(err)
			tool, err := os.FindProcess(pid)
			is.NoErr(err)
			waittest.Until(t, "the tool is ended", func() bool { return tool.Signal(syscall.Signal(0)) != nil })
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
	h := streaming(t, backend.ServeFunc(open(t, tools).Serve))
	var resumed atomic.Int32
	h.Resumed = func() { resumed.Add(1) }
	b := &breaking{}
	g := httpdtest.Visit(t, serve(t, h), "2025-11-25", &http.Client{Transport: b})
	text, err := g.Call(t.Context(), "count")
	is.NoErr(err)
	is.Equal(text, "counted")
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
	// Replicas serve copies of a project from the same place; here it is the same folder.
	same := server.Options{ProjectRoot: httpdtest.Project(t, tools), Environ: os.Environ(), StateKeyFile: filepath.Join(t.TempDir(), "key")}
	balanced := &replicas{}
	for _, srv := range []*server.Server{httpdtest.Open(t, same), httpdtest.Open(t, same)} {
		balanced.hosts = append(balanced.hosts, strings.TrimPrefix(serve(t, httpdtest.Handler(t, backend.ServeFunc(srv.Serve))), "http://"))
	}
	g := httpdtest.Visit(t, "http://replicas", "2026-07-28", &http.Client{Transport: balanced})
	for range 4 { // whichever is asked first
		text, err := g.Call(t.Context(), "ask")
		is.NoErr(err)
		is.True(strings.Contains(text, "Ada"))
		_, err = g.ListTools(t.Context(), nil)
		is.NoErr(err)
	}
}
