package natscluster_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
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

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/streamable"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// tools are those that these tests call. Each run of one that waits leaves a line in the file runs.
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

// kill ends a replica as a loss of its machine would: nobody hears of it.
func (r *replica) kill() {
	r.dead.Store(true)
	r.cluster.Close()
	r.web.CloseClientConnections()
}

// replicas are three of them behind a load balancer that sends each request to the next one.
type replicas struct {
	t      *testing.T
	root   string
	all    []*replica
	url    string
	next   atomic.Int64
	broker *broker
}

func newReplicas(t *testing.T, lease time.Duration) *replicas {
	t.Helper()
	x := &replicas{t: t, root: t.TempDir(), broker: newBroker(t)}
	for name, text := range tools {
		path := filepath.Join(x.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
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

// route returns where a request goes: one of a session to the replica that its id names.
func (x *replicas) route(id string) *replica {
	for _, r := range x.all {
		if r.name == session.ReplicaOf(id) && !r.dead.Load() {
			return r
		}
	}
	return x.turn()
}

// turn returns whose turn it is.
func (x *replicas) turn() *replica {
	for {
		if r := x.all[int(x.next.Add(1))%len(x.all)]; !r.dead.Load() {
			return r
		}
	}
}

func (x *replicas) add(name, key string, lease time.Duration) {
	t, log := x.t, slog.New(slog.DiscardHandler)
	t.Helper()
	r := &replica{name: name, cluster: x.broker.connect(lease)}
	srv, err := server.Open(t.Context(), server.Options{
		ProjectRoot: x.root, Environ: os.Environ(), StateKeyFile: key, Cluster: r.cluster, Log: log,
		Limits: server.Limits{TaskAfter: 10 * time.Millisecond},
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append([]pipeline.Middleware{backend.Causes()}, stages...)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	r.server = srv
	opener := backend.Project{Server: srv}
	limits := session.Limits{Exchanges: 64, Buffer: 64 << 20, Keep: 1 << 20}
	table := &session.Table{Opener: opener, Limits: limits, Max: 16, Replica: name, Log: log}
	t.Cleanup(table.Close)
	handler := &streamable.Handler{
		Sessions: table, Stateless: opener, Limits: limits, MaxBody: 1 << 20, StreamAfter: time.Minute,
		KeepAlive: time.Minute, Patience: time.Minute, Retry: time.Second, Schema: srv.InputSchema, Log: log,
	}
	r.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.served.Add(1)
		handler.ServeHTTP(w, q)
	}))
	t.Cleanup(r.web.Close)
	x.all = append(x.all, r)
}

// A content is that of the result of a tool.
type content struct {
	Content []struct{ Text string } `json:"content"`
}

func (c content) text() string {
	if len(c.Content) == 0 {
		return ""
	}
	return strings.TrimSpace(c.Content[0].Text)
}

// An answer is what these tests read of one.
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
	if !until(x.t, func() bool { a = x.task("get", id, ""); return a.Result.Status == status }) {
		x.t.Fatalf("the task does not become %s: %s", status, a.raw)
	}
	return a
}

// runs returns how often a tool that waits has run.
func (x *replicas) runs() int {
	text, _ := os.ReadFile(filepath.Join(x.root, "runs"))
	return strings.Count(string(text), "run\n")
}

// asking returns how often the tool that asks has run, and how many of its processes still do.
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

// release lets the tool wait end.
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

func TestAQuestionIsAnsweredThroughAnotherReplica(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	for range 3 { // whichever is asked first
		asked := x.call("ask", "")
		if asked.Result.ResultType != "input_required" {
			t.Fatal(asked.raw)
		}
		done := x.call("ask", withState(asked))
		is.Equal(done.Result.text(), "hello Ada")
	}
	for _, r := range x.all {
		is.Equal(r.served.Load(), int64(2))
	}
	runs, _ := x.asking()
	is.Equal(runs, 6)                                                          // each answer had a run of its own
	is.True(until(t, func() bool { _, left := x.asking(); return left == 0 })) // and those that have asked wait no longer
}

func TestAStateIsUsedOnceWhicheverReplicaIsAsked(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	asked := x.call("ask", "")
	is.Equal(x.call("ask", withState(asked)).Result.text(), "hello Ada")
	for range 3 {
		again := x.call("ask", withState(asked))
		is.Equal(again.Error.Code, -32602)
		is.True(strings.Contains(again.Error.Message, "it was used before"))
	}
}

func TestATaskIsPolledThroughAnyReplicaWithItsResult(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("wait", "")
	is.Equal(born.Result.ResultType, "task")
	for range 3 {
		is.Equal(x.task("get", born.Result.TaskID, "").Result.Status, "working")
	}
	x.release()
	x.becomes(born.Result.TaskID, "completed")
	is.True(until(t, func() bool { // once all know
		known := 0
		for range 3 {
			if a := x.task("get", born.Result.TaskID, ""); a.Result.Result.text() == "done" {
				known++
			}
		}
		return known == 3
	}))
	is.Equal(x.runs(), 1)
	is.Equal(x.task("get", "no such task", "").Error.Code, -32602)
}

func TestAResultThatIsTooLongForAMessageReachesOtherReplicas(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("long", "")
	is.Equal(born.Result.ResultType, "task")
	for range 3 {
		a := x.becomes(born.Result.TaskID, "completed")
		is.Equal(len(a.Result.Result.text()), 2000000)
	}
}

func TestAResultIsTheSameWhicheverReplicaReturnsIt(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	id := x.call("exact", "").Result.TaskID
	seen := make(map[string]bool)
	for range 3 {
		seen[x.becomes(id, "completed").raw] = true
	}
	for raw := range seen {
		t.Log(raw)
		is.True(strings.Contains(raw, `"text":"<&>"`))
	}
	is.Equal(len(seen), 1)
}

func TestATaskIsAnsweredAndCancelledThroughAnotherReplica(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("later", "")
	asked := x.becomes(born.Result.TaskID, "input_required")
	x.turn() // the next but one, so that none of the three requests has the same replica
	is.Equal(x.task("update", born.Result.TaskID, answers(asked)).Error.Code, 0)
	done := x.becomes(born.Result.TaskID, "completed")
	is.Equal(done.Result.Result.text(), "hello Ada")

	born = x.call("wait", "")
	is.Equal(x.task("cancel", born.Result.TaskID, "").Error.Code, 0)
	for range 3 {
		is.Equal(x.task("get", born.Result.TaskID, "").Result.Status, "cancelled")
	}
}

func TestWhoListensOnAnotherReplicaHearsWhatATaskDoes(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("wait", "")
	stream := x.post(x.url, "subscriptions/listen", "", `"notifications":{"taskIds":["`+born.Result.TaskID+`"]}`)
	lines := bufio.NewScanner(stream.Body)
	lines.Buffer(nil, 1<<20)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	is.True(strings.Contains(next(), `"taskIds":["`+born.Result.TaskID+`"]`)) // acknowledged
	x.release()
	told := next()
	is.True(strings.Contains(told, "notifications/tasks"))
	is.True(strings.Contains(told, `"status":"completed"`))
	is.True(strings.Contains(told, `"text":"done`))
}

func TestASessionOfAnOlderRevisionStaysOnTheReplicaThatItsIDNames(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	seen := make(map[string]bool)
	for range 3 {
		c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "value": "Ada"}}, nil
			},
		})
		s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: x.url}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		is.NoErr(err)
		defer s.Close()
		seen[session.ReplicaOf(s.ID())] = true
		for range 4 {
			result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask"})
			is.NoErr(err)
			is.True(strings.Contains(result.Content[0].(*mcp.TextContent).Text, "Ada"))
		}
	}
	is.True(len(seen) > 1)
}

func TestWhenAReplicaIsKilledItsCallsFailAndNothingRunsTwice(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, time.Second)
	called := make(chan answer)
	go func() { called <- x.call("hold", "") }()
	is.True(until(t, func() bool { return x.runs() == 1 }))
	owner := x.all[1] // whose turn was first
	is.Equal(owner.served.Load(), int64(1))
	task := x.ask(owner.web.URL, "tools/call", "wait", `"name":"wait","arguments":{}`).Result.TaskID
	is.True(until(t, func() bool { return x.runs() == 2 }))
	owner.kill()
	is.Equal((<-called).status, http.StatusBadGateway)
	failed := x.becomes(task, "failed")
	is.True(strings.Contains(failed.Result.StatusMessage, "the replica that ran the task is gone"))
	for range 2 {
		is.Equal(x.task("get", task, "").Result.Status, "failed") // and it stays so
	}
	is.Equal(x.call("greet", "").Result.text(), "hello")
	is.Equal(x.runs(), 2)
}

func TestWhatAReplicaHasDoneOutlivesIt(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	owner := x.all[0]
	begin := func(tool string) string {
		return x.ask(owner.web.URL, "tools/call", tool, `"name":"`+tool+`","arguments":{}`).Result.TaskID
	}
	ended, open := begin("long"), begin("wait")
	x.becomes(ended, "completed")
	owner.dead.Store(true)
	is.NoErr(owner.server.Close()) // as when it is told to end
	for range 2 {
		is.Equal(len(x.task("get", ended, "").Result.Result.text()), 2000000)
		a := x.task("get", open, "")
		is.Equal(a.Result.Status, "failed")
		is.True(strings.Contains(a.Result.StatusMessage, "the server has ended"))
	}
}

func TestWithoutNATSWhatNeedsItFailsWithAReasonAndAllElseGoesOn(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	asked := x.call("ask", "")
	task := x.call("wait", "").Result.TaskID
	x.broker.stop()
	is.True(until(t, func() bool { // all three have noticed
		for _, r := range x.all {
			if r.cluster.Tell(nil) == nil {
				return false
			}
		}
		return true
	}))
	const why = "the other replicas of this server cannot be reached; try again later"
	for range 3 {
		is.Equal(x.call("greet", "").Result.text(), "hello")
		refused := x.call("ask", withState(asked))
		is.Equal(refused.Error.Code, -32603)
		is.True(strings.Contains(refused.Error.Message, why))
	}
	unknown, own := 0, 0
	for range 3 {
		switch a := x.task("get", task, ""); {
		case strings.Contains(a.Error.Message, why):
			unknown++
		case a.Result.Status == "working":
			own++
		}
	}
	is.Equal(fmt.Sprint(unknown, own), "2 1") // its own replica knows
	x.release()
	is.Equal(x.call("wait", "").Result.text(), "done") // it stays a call
	x.broker.start()
	is.True(until(t, func() bool { return x.call("ask", withState(asked)).Result.ResultType == "complete" })) // no refusal has used it
	for range 3 {
		x.becomes(task, "completed")
	}
	is.Equal(x.runs(), 2)
}
