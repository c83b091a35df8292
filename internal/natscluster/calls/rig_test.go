package calls_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// TestMain lets the test binary act as the guard of scripts.
func TestMain(m *testing.M) {
	if code, ran := server.RanGuard(os.Args[1:], os.Stderr); ran {
		os.Exit(code)
	}
	shelltest.AtOnce(6)
	os.Exit(m.Run())
}

// tools are the tools that these tests call.
var tools = map[string]string{
	"text":     `printf 'grüße <&> %s\n' "$(mcp_args_get '.name // "nobody"')"`,
	"json":     `printf '%s' '{"z":12345678901234567890,"a":1.50,"ü":["<&>"]}'`,
	"fails":    `echo "no such thing" >&2; exit 7`,
	"error":    `mcp_fail -32001 "not today" '{"why":"rain"}'`,
	"image":    `printf '%s' '{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false,"_meta":{"n":1.50}}'`,
	"large":    `head -c 10000000 /dev/zero | tr '\0' x`,
	"huge":     `head -c 12000000 /dev/zero | tr '\0' x`,
	"quotes":   `head -c 3000000 /dev/zero | tr '\0' '\001'`,
	"args":     `mcp_args_get '.text | length'`,
	"spelling": `printf '%s' "$MCP_TOOL_ARGS_JSON" | od -c`,
	"late":     `exec sleep 600`,
	"talks":    `for i in 1 2 3; do mcp_progress $i "step $i" 3; mcp_log_info talk "line $i"; done; echo said`,
	"chats":    `for i in $(seq 200); do mcp_log_info chat "line $i"; done; echo said`,
	"roots":    `mcp_roots_list`,
	"ask":      `mcp_emit_text "hello $(mcp_elicit_string "What is your name?" name | jq -r '.content.name // .action')"`,
	"hurry":    `mcp_ask --timeout 0.2 q elicitation/create '{"message":"?","requestedSchema":{"type":"object","properties":{}}}' >/dev/null; echo gone on`,
	"wait": `trap 'echo ended >>"$MCPBASH_PROJECT_ROOT/ended"; exit 1' TERM
echo run >>"$MCPBASH_PROJECT_ROOT/runs"
until [ -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done
echo left >>"$MCPBASH_PROJECT_ROOT/left"
echo done`,
}

// A rig is a NATS server and a project.
type rig struct {
	t    *testing.T
	nats atomic.Pointer[natsserver.Server]
	addr atomic.Value // of nats
	root string
	host *server.Server
}

func newRig(t *testing.T, change ...func(*natsserver.Options)) *rig {
	t.Helper()
	o := &natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true}
	for _, c := range change {
		c(o)
	}
	r := &rig{t: t, root: project(t)}
	r.start(o)
	r.host = r.open(r.root)
	return r
}

// start starts the NATS server.
func (r *rig) start(o *natsserver.Options) {
	r.t.Helper()
	s, err := natsserver.NewServer(o)
	if err != nil {
		r.t.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		r.t.Fatal("the NATS server does not start")
	}
	r.t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	r.nats.Store(s)
	r.addr.Store(s.Addr().String())
}

// Dial connects with the current NATS server.
func (r *rig) Dial(network, _ string) (net.Conn, error) {
	return net.Dial(network, r.addr.Load().(string))
}

// project creates a project with the tools.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, script := range tools {
		write(t, root, "tools/"+name+"/tool.sh", head+script+"\n")
		write(t, root, "tools/"+name+"/tool.meta.json", metadata(name))
	}
	return root
}

const head = "#!/usr/bin/env bash\n. \"$MCP_SDK/tool-sdk.sh\"\n"

func metadata(name string) string {
	return `{"name":"` + name + `","description":"a tool","timeoutSecs":120}`
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock() // a child forked by a parallel test must not hold a script open for writing
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// open opens the server of a worker.
func (r *rig) open(root string) *server.Server {
	r.t.Helper()
	s, err := server.Open(r.t.Context(), server.Options{ProjectRoot: root, Environ: os.Environ(), Log: quiet, Guard: server.GuardCommand()})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { s.Close() })
	return s
}

var quiet = slog.New(slog.DiscardHandler)

// options returns the options of a process with its own connection.
func (r *rig) options(name string) calls.Options {
	r.t.Helper()
	conn, err := nats.Connect(r.nats.Load().ClientURL(), nats.SetCustomDialer(r), nats.ReconnectBufSize(-1))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Close)
	return calls.Options{Conn: conn, Cluster: "test", Name: name, Log: quiet}
}

// worker starts a worker, and ends it with the test.
func (r *rig) worker(slots int, host *server.Server, o calls.Options) *calls.Worker {
	r.t.Helper()
	w, err := calls.NewWorker(calls.WorkerOptions{Options: o, Slots: slots, Host: host})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(sync.OnceFunc(func() { w.Close(0) }))
	return w
}

func (r *rig) caller(o calls.CallerOptions) *calls.Caller {
	r.t.Helper()
	c, err := calls.NewCaller(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

// pair starts a worker with the given slots, and a caller.
func (r *rig) pair(slots int) *calls.Caller {
	r.t.Helper()
	r.worker(slots, r.host, r.options("w"))
	return r.caller(calls.CallerOptions{Options: r.options("a")})
}

// of returns a call of a tool.
func (r *rig) of(tool, arguments string) handlers.ToolCall {
	r.t.Helper()
	found, err := r.host.Tool(r.t.Context(), tool)
	if err != nil {
		r.t.Fatal(err)
	}
	return handlers.ToolCall{
		Call: handlers.ScriptClient{Args: json.RawMessage(arguments), Supports: func(string) bool { return true }},
		Tool: found, Revision: mcp.Latest(),
	}
}

// lines returns how many lines tools have written to a file.
func (r *rig) lines(file string) int {
	text, _ := os.ReadFile(filepath.Join(r.root, file))
	return strings.Count(string(text), "\n")
}

// release lets the tool "wait" end.
func (r *rig) release() { write(r.t, r.root, "go", "") }

// An outcome is what a call returned.
type outcome struct {
	result *mcp.CallToolResult
	err    error
}

// goes starts a call.
func goes(ctx context.Context, c handlers.Runner, call handlers.ToolCall) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		result, err := c.Call(ctx, call)
		done <- outcome{result, err}
	}()
	return done
}

// forbidding opens a server whose operator allows only one tool.
func (r *rig) forbidding(allowed string) *server.Server {
	r.t.Helper()
	s, err := server.Open(r.t.Context(), server.Options{ProjectRoot: r.root, Environ: os.Environ(), Log: quiet, Policy: server.Policy{Allow: []string{allowed}}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { s.Close() })
	return s
}
