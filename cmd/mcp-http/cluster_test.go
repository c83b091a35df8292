package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// A cluster is a NATS server, and a project that replicas and workers serve, each in a process of its own.
type cluster struct {
	t      *testing.T
	broker *natsserver.Server
	store  string // of the NATS server
	url    string
	root   string
	name   string // what its members call it
}

// noting are tools that note in a file that they have run, and with which arguments.
var noting = map[string]string{
	"note": `echo "$MCP_TOOL_ARGS_JSON" >>"$MCPBASH_PROJECT_ROOT/ran"`,
	"hold": `trap 'echo ended >>"$MCPBASH_PROJECT_ROOT/ended"; exit 1' TERM
echo "$MCP_TOOL_ARGS_JSON" >>"$MCPBASH_PROJECT_ROOT/ran"
sleep 300 & wait`,
	"stay": `echo "$MCP_TOOL_ARGS_JSON" >>"$MCPBASH_PROJECT_ROOT/ran"
until [ -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done
echo stayed >>"$MCPBASH_PROJECT_ROOT/stayed"`,
	"talk": `. "$MCP_SDK/tool-sdk.sh"
mcp_progress 1 "half" 2; mcp_progress 2 "done" 2; echo said`,
	"ask": `. "$MCP_SDK/tool-sdk.sh"
mcp_emit_text "$(mcp_elicit_confirm "Sure?" | jq -r .action)"`,
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, store: t.TempDir(), root: greeter(t)}
	c.startNATS(natsserver.RANDOM_PORT)
	c.url, c.name = c.broker.ClientURL(), inSubjects(filepath.Base(c.root))
	for name, text := range noting {
		dir := filepath.Join(c.root, "tools", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"tool.sh": "#!/usr/bin/env bash\n" + text + "\n", "tool.meta.json": `{"name":"` + name + `","description":"notes","timeoutSecs":300}`} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c
}

func (c *cluster) startNATS(port int) {
	c.t.Helper()
	var err error
	c.broker, err = natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: c.store, NoLog: true, NoSigs: true})
	if err != nil {
		c.t.Fatal(err)
	}
	go c.broker.Start()
	c.t.Cleanup(c.broker.Shutdown)
	if !c.broker.ReadyForConnections(time.Minute) {
		c.t.Fatal("the NATS server does not start")
	}
}

// stopNATS stops the NATS server, and returns a function that starts it again.
func (c *cluster) stopNATS() (start func()) {
	port := c.broker.Addr().(*net.TCPAddr).Port
	c.broker.Shutdown()
	c.broker.WaitForShutdown()
	return func() { c.startNATS(port) }
}

// A member is mcp-http in a process of its own.
type member struct {
	*exec.Cmd
	url     string // of a replica
	figures string // where they are, with --metrics-listen
}

// start starts the program with what all of the cluster have in common.
func (c *cluster) start(name string, args ...string) *member {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	p := &member{Cmd: exec.Command(self, append([]string{
		"--project", c.root, "--cluster", c.url, "--replica", name,
		"--patience", "10s", // a worker keeps the place of a call for so long when the replica is gone
	}, args...)...)}
	p.Env = append(os.Environ(), "MCP_HTTP_PROGRAM=1", "MCPBASH_STATE_KEY_FILE="+filepath.Join(c.root, ".key"), "MCPBASH_LOG_CALLS=false")
	out, err := p.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(said, lines.Text())
		p.figures = cmp.Or(p.figures, regexp.MustCompile(`http://\S+/metrics`).FindString(lines.Text()))
		found := endpoint.FindStringSubmatch(lines.Text())
		if found != nil {
			p.url = found[1] + "/mcp"
		}
		if found != nil || strings.Contains(lines.Text(), "taking calls") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return p
		}
	}
	c.t.Fatalf("%s has ended: %s", name, strings.Join(said, "\n"))
	return nil
}

func (c *cluster) worker(name string, slots int) *member {
	return c.start(name, "--worker", "--slots", fmt.Sprint(slots))
}

func (c *cluster) replica(name string) *member {
	return c.start(name, "--use-workers", "--listen", "127.0.0.1:0", "--production", "--max-waiting", "1000")
}

// lines returns the lines of a file that tools have written.
func (c *cluster) lines(file string) []string {
	text, _ := os.ReadFile(filepath.Join(c.root, file))
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// unanswered is the error of a request to a replica that is gone.
type unanswered struct{ error }

// post calls a tool in a request of its own, and returns the error, nil where it has succeeded.
func post(ctx context.Context, client *http.Client, url, tool, arguments string) error {
	return postWith(ctx, client, url, tool, arguments, "{}")
}

// postWith is post for a client with capabilities.
func postWith(ctx context.Context, client *http.Client, url, tool, arguments, capabilities string) error {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}}`
	r, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		return err
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(key, value)
	}
	a, err := client.Do(r)
	if err != nil {
		return unanswered{err}
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		return unanswered{err}
	}
	if at := bytes.Index(text, []byte("data: {")); at >= 0 {
		text = text[at+len("data: "):]
	}
	var answer struct {
		Result *struct{ IsError bool }
		Error  *struct{ Message string }
	}
	switch err := json.Unmarshal(text, &answer); {
	case err != nil:
		return fmt.Errorf("%w: %s", err, text)
	case answer.Error != nil:
		return errors.New(answer.Error.Message)
	case answer.Result == nil || answer.Result.IsError:
		return fmt.Errorf("no result: %s", text)
	}
	return nil
}
