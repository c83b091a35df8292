//go:build unix

package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

// program is the built mcp-http; see TestMain.
var program string

func TestMain(m *testing.M) { os.Exit(build(m.Run)) }

// build builds the programs into a folder that lasts as long as run.
func build(run func() int) int {
	dir, err := os.MkdirTemp("", "mcp-http-e2e.")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := rig.Build(dir, "mcp-http", "mcp-bash"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	program = filepath.Join(dir, "mcp-http")
	shelltest.AtOnce(4) // most tests wait for programs
	return run()
}

// A replica is a process of mcp-http.
type replica struct {
	name    string
	address string
	process *os.Process
	cmd     *exec.Cmd
	ended   chan struct{}
	alive   *os.File // the end of a pipe whose other end its tools hold
}

// A cluster is replicas of one project.
type cluster struct {
	root     string // of the project
	notes    string // where its tools leave notes
	replicas []*replica
}

// newCluster starts replicas with these names, which are connected through NATS.
func newCluster(t *testing.T, files map[string]string, names ...string) *cluster {
	t.Helper()
	broker, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	go broker.Start()
	t.Cleanup(func() { broker.Shutdown(); broker.WaitForShutdown() })
	if !broker.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	c := &cluster{root: httpdtest.Project(t, files), notes: t.TempDir()}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("32 bytes that are not a secret.."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		alive := filepath.Join(c.notes, "alive."+name)
		if err := syscall.Mkfifo(alive, 0o600); err != nil {
			t.Fatal(err)
		}
		reader, err := os.OpenFile(alive, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { reader.Close() })
		cmd := exec.Command(program, "--project", c.root, "--listen", "127.0.0.1:0", "--cluster", broker.ClientURL(), "--replica", name, "--production", "--grace", "1s", "--keep-alive", "1s")
		cmd.Env = append(os.Environ(), "MCPBASH_STATE_KEY_FILE="+key, "MCP_E2E_NOTES="+c.notes, "MCP_E2E_ALIVE="+alive, "MCPBASH_LOG_CALLS=false")
		r := start(t, name, cmd)
		r.alive = reader
		c.replicas = append(c.replicas, r)
	}
	return c
}

var serving = regexp.MustCompile(`url=http://(\S+)/mcp`)

// start starts a replica until the test ends.
func start(t *testing.T, name string, cmd *exec.Cmd) *replica {
	t.Helper()
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &replica{name: name, process: cmd.Process, cmd: cmd, ended: make(chan struct{})}
	ready := make(chan string, 1)
	go func() {
		defer close(r.ended)
		defer close(ready)
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			if found := serving.FindStringSubmatch(lines.Text()); found != nil {
				ready <- found[1]
			}
		}
		_, _ = io.Copy(io.Discard, log)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = r.process.Signal(syscall.SIGTERM)
		<-r.ended
	})
	if r.address = <-ready; r.address == "" {
		t.Fatalf("replica %s does not start", name)
	}
	return r
}

// kill ends a replica as a crash does.
func (r *replica) kill() {
	_ = r.process.Kill()
	<-r.ended
}

// restart ends the replicas one after the other as an operator does, and starts each again at its address before
// the next one ends.
func (c *cluster) restart(t *testing.T) {
	t.Helper()
	for i, r := range c.replicas {
		if err := r.process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-r.ended
		c.again(t, i)
	}
}

// again starts a replica that has ended once more, at its address.
func (c *cluster) again(t *testing.T, i int) {
	t.Helper()
	r := c.replicas[i]
	cmd := exec.Command(r.cmd.Args[0], append(r.cmd.Args[1:len(r.cmd.Args):len(r.cmd.Args)], "--listen", r.address)...)
	cmd.Env = r.cmd.Env
	again := start(t, r.name, cmd)
	again.alive = r.alive
	c.replicas[i] = again
}

// left waits until all processes of its tools have ended, and returns what they wrote into their
// pipe.
func (r *replica) left(t *testing.T) string {
	t.Helper()
	if err := r.alive.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.alive)
	if err != nil {
		t.Fatalf("a process of a tool of replica %s is still running: %v", r.name, err)
	}
	return string(text)
}

// lines returns the lines that tools have written to a file of notes.
func (c *cluster) lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.notes, file))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// leave creates a file of notes, for which tools wait.
func (c *cluster) leave(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.notes, file), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// request returns a call of a tool in 2026-07-28.
func request(t *testing.T, url, tool, arguments string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+
		`,"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	return r
}

// tools are the tools that these tests call.
var tools = map[string]string{
	"tools/note/tool.sh":        "#!/bin/sh\nid=${MCP_TOOL_ARGS_JSON#*:\\\"}\necho \"${id%%\\\"*}\" >>\"$MCP_E2E_NOTES/runs\"\necho done\n",
	"tools/note/tool.meta.json": `{"name":"note","description":"leaves a note","taskSupport":"forbidden","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`,
	// The processes of hold and step have the pipe of their replica open.
	"tools/hold/tool.sh": `#!/usr/bin/env bash
exec 9>>"$MCP_E2E_ALIVE"
echo held >&9
echo run >>"$MCP_E2E_NOTES/held"
sleep 600 &
until [ -e "$MCP_E2E_NOTES/go" ]; do sleep 0.05; done
kill %1
echo released
`,
	"tools/hold/tool.meta.json": `{"name":"hold","description":"waits","timeoutSecs":600,"taskSupport":"forbidden"}`,
	"tools/step/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
exec 9>>"$MCP_E2E_ALIVE"
mcp_progress 1 "first step" 2
until [ -e "$MCP_E2E_NOTES/go" ]; do sleep 0.05; done
mcp_emit_text stepped
`,
	"tools/step/tool.meta.json": `{"name":"step","description":"reports its progress","timeoutSecs":600,"taskSupport":"forbidden"}`,
}
