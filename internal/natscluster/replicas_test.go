package natscluster_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/streamable"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// tools are the tools that these tests call. Each run of one that waits writes a line to the file runs.
var tools = map[string]string{
	"tools/greet/tool.sh":        "#!/bin/sh\necho hello\n",
	"tools/greet/tool.meta.json": `{"name":"greet","description":"greets","taskSupport":"forbidden"}`,
	"tools/ask/tool.meta.json":   `{"name":"ask","description":"asks","taskSupport":"forbidden"}`,
	"tools/ask/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
echo $$ >>"$MCPBASH_PROJECT_ROOT/asking"
mcp_emit_text "hello $(mcp_elicit_string "What is your name?" name | jq -r .content.name)"
`,
	"tools/wait/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
echo run >>"$MCPBASH_PROJECT_ROOT/runs"
until [ -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done
mcp_emit_text "done"
`,
	"tools/wait/tool.meta.json": `{"name":"wait","description":"waits","timeoutSecs":600,"taskSupport":"optional"}`,
	"tools/hold/tool.sh": `#!/usr/bin/env bash
echo run >>"$MCPBASH_PROJECT_ROOT/runs"
until [ -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done
`,
	"tools/hold/tool.meta.json": `{"name":"hold","description":"waits","timeoutSecs":600,"taskSupport":"forbidden"}`,
	"tools/long/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_emit_text "$(head -c 2000000 /dev/zero | tr '\0' x)"
`,
	"tools/long/tool.meta.json": `{"name":"long","description":"says much","taskSupport":"required"}`,
	"tools/exact/tool.sh": `#!/bin/sh
printf '%s' '{"content":[{"type":"text","text":"<&>"}],"structuredContent":{"z":12345678901234567890,"a":1.50}}'
`,
	"tools/exact/tool.meta.json": `{"name":"exact","description":"is exact","taskSupport":"required"}`,
	"tools/later/tool.meta.json": `{"name":"later","description":"asks as a task","taskSupport":"required"}`,
	"tools/later/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
until [ -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done
mcp_emit_text "hello $(mcp_elicit_string "What is your name?" name | jq -r .content.name)"
`,
}

// A replica is one of several servers of a project.
type replica struct {
	name    string
	server  *server.Server
	web     *httptest.Server
	cluster *natscluster.Cluster
	dead    atomic.Bool
	served  atomic.Int64 // requests
}

// kill ends a replica as a loss of its machine would: without notice to others.
func (r *replica) kill() {
	r.dead.Store(true)
	r.cluster.Close()
	r.web.CloseClientConnections()
}

// replicas are three replicas behind a load balancer that sends each request to the next one.
type replicas struct {
	t      *testing.T
	root   string
	all    []*replica
	url    string
	user   string // who asks
	next   atomic.Int64
	broker *broker
}

func newReplicas(t *testing.T, lease time.Duration) *replicas {
	t.Helper()
	x := &replicas{t: t, root: httpdtest.Project(t, tools), broker: newBroker(t)}
	key := filepath.Join(t.TempDir(), "key")
	for _, name := range []string{"a", "b", "c"} {
		x.add(name, key, lease)
	}
	balancer := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, _ := url.Parse(x.route(r.In.Header.Get(streamable.SessionHeader)).web.URL)
			r.SetURL(to)
		},
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	})
	t.Cleanup(balancer.Close)
	x.url = balancer.URL
	return x
}

// route returns the replica for a request: with a session id the replica that the id names.
func (x *replicas) route(id string) *replica {
	for _, r := range x.all {
		if r.name == session.ReplicaOf(id) && !r.dead.Load() {
			return r
		}
	}
	return x.turn()
}

// turn returns the replica whose turn it is.
func (x *replicas) turn() *replica {
	for {
		if r := x.all[int(x.next.Add(1))%len(x.all)]; !r.dead.Load() {
			return r
		}
	}
}

func (x *replicas) add(name, key string, lease time.Duration) {
	t := x.t
	t.Helper()
	r := &replica{name: name, cluster: x.broker.connect(lease)}
	r.server = httpdtest.Open(t, server.Options{
		ProjectRoot: x.root, Environ: os.Environ(), StateKeyFile: key, Cluster: r.cluster,
		Limits: server.Limits{TaskAfter: 10 * time.Millisecond},
	})
	handler := httpdtest.Handler(t, backend.ServeFunc(r.server.Serve))
	handler.Sessions.Replica = name
	handler.Owner = func(r *http.Request) string { return r.Header.Get("User") }
	r.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.served.Add(1)
		handler.ServeHTTP(w, q)
	}))
	t.Cleanup(r.web.Close)
	x.all = append(x.all, r)
}

// A content is the content of a tool's result.
type content struct {
	Content []struct{ Text string } `json:"content"`
}

func (c content) text() string {
	if len(c.Content) == 0 {
		return ""
	}
	return strings.TrimSpace(c.Content[0].Text)
}

// An answer has the members of responses that these tests read.
type answer struct {
	status int
	raw    string
	Result struct {
		ResultType    string                     `json:"resultType"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		RequestState  string                     `json:"requestState"`
		TaskID        string                     `json:"taskId"`
		Status        string                     `json:"status"`
		StatusMessage string                     `json:"statusMessage"`
		content
		Result content `json:"result"`
	} `json:"result"`
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// post sends a request of 2026-07-28 and returns the response.
func (x *replicas) post(to, method, name, params string) *http.Response {
	x.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`
	r, err := http.NewRequestWithContext(x.t.Context(), "POST", to, strings.NewReader(body))
	if err != nil {
		x.t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		streamable.VersionHeader: "2026-07-28", streamable.MethodHeader: method, streamable.NameHeader: name,
		"User": x.user,
	} {
		r.Header.Set(key, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		x.t.Error(err)
		return nil
	}
	x.t.Cleanup(func() { response.Body.Close() })
	return response
}

// ask sends a request and returns its answer.
func (x *replicas) ask(to, method, name, params string) (a answer) {
	x.t.Helper()
	r := x.post(to, method, name, params)
	if r == nil {
		return a
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		x.t.Error(err)
	}
	a.status, a.raw = r.StatusCode, string(body)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		_, data, _ := strings.Cut(a.raw, "data: ")
		body = []byte(data)
	}
	_ = json.Unmarshal(body, &a) // the load balancer's own errors are not JSON
	return a
}

func (x *replicas) call(tool, more string) answer {
	x.t.Helper()
	return x.ask(x.url, "tools/call", tool, `"name":"`+tool+`","arguments":{}`+more)
}

func (x *replicas) task(method, id, more string) answer {
	x.t.Helper()
	return x.ask(x.url, "tasks/"+method, id, `"taskId":"`+id+`"`+more)
}

// becomes waits until a task has a status, asking one replica after the other.
func (x *replicas) becomes(id, status string) (a answer) {
	x.t.Helper()
	waittest.Until(x.t, "the task is "+status, func() bool {
		a = x.task("get", id, "")
		return a.Result.Status == status
	})
	return a
}

// runs returns how many times a tool that waits has run.
func (x *replicas) runs() int {
	text, _ := os.ReadFile(filepath.Join(x.root, "runs"))
	return strings.Count(string(text), "run\n")
}

// asking returns how many times the tool that asks has run, and how many of its processes still run.
func (x *replicas) asking() (runs, left int) {
	text, _ := os.ReadFile(filepath.Join(x.root, "asking"))
	for _, id := range strings.Fields(string(text)) {
		runs++
		pid, err := strconv.Atoi(id)
		if err != nil {
			continue // it is being written
		}
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			left++
		}
	}
	return runs, left
}

// release lets the tool "wait" end.
func (x *replicas) release() {
	x.t.Helper()
	if err := os.WriteFile(filepath.Join(x.root, "go"), nil, 0o644); err != nil {
		x.t.Fatal(err)
	}
}

const accepted = `{"action":"accept","content":{"name":"Ada","value":"Ada"}}`

// answers returns the params that answer a question.
func answers(a answer) string {
	given := make(map[string]json.RawMessage)
	for key := range a.Result.InputRequests {
		given[key] = json.RawMessage(accepted)
	}
	text, _ := json.Marshal(given)
	return `,"inputResponses":` + string(text)
}

func withState(a answer) string {
	return answers(a) + `,"requestState":"` + a.Result.RequestState + `"`
}
