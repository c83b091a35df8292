package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// changing matches what differs from run to run in the lines of an audit.
var changing = regexp.MustCompile(`"time":"[^"]*",|"session":"[^"]*",|"ms":[0-9.]+`)

func TestEachCallAndEachRefusalIsALineOfTheAudit(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	token, file := filepath.Join(dir, "token"), filepath.Join(dir, "audit.jsonl")
	const secret = "0123456789abcdef0123456789abcdef"
	is.NoErr(os.WriteFile(token, []byte(secret+"\n"), 0o600))
	r := start(t, "--project", greeter(t), "--token-file", token, "--audit", file, "--audit-arguments")
	for _, path := range []string{"/mcp", "/metrics"} {
		status, _ := get(t, r.base+path)
		is.Equal(status, http.StatusUnauthorized)
	}
	session := httpdtest.Visit(t, r.url, "2025-11-25", &http.Client{Transport: bearer(secret)})
	is.Equal(text(t, session, "greet"), "hello\n")
	var refused []string
	var call string
	waittest.Until(t, "both are written", func() bool {
		text, err := os.ReadFile(file)
		is.NoErr(err)
		refused = nil
		for line := range strings.Lines(string(text)) {
			is.True(json.Valid([]byte(line)))
			switch line = changing.ReplaceAllString(strings.TrimSpace(line), ""); {
			case strings.Contains(line, `"name":"greet"`):
				call = line
			case strings.Contains(line, `401`):
				refused = append(refused, line)
			}
		}
		return len(refused) == 2 && call != ""
	})
	is.Equal(refused, []string{
		`{"event":"refused","from":"127.0.0.1","method":"GET","path":"/mcp","status":401}`,
		`{"event":"refused","from":"127.0.0.1","method":"GET","path":"/metrics","status":401}`,
	})
	is.True(strings.HasPrefix(call, `{"event":"call","from":"127.0.0.1","id":`))
	is.True(strings.Contains(call, `"method":"tools/call","name":"greet","outcome":"ok",`))
	is.True(strings.HasSuffix(call, `"arguments":{}}`))
	info, err := os.Stat(file)
	is.NoErr(err)
	is.True(info.Mode().Perm()&0o077 == 0 || os.PathSeparator == '\\') // nobody else reads it
}

func TestARefusalAfterATokenWasAcceptedNamesItsCaller(t *testing.T) {
	is := is.New(t)
	dir, secret := t.TempDir(), strings.Repeat("a", 32)
	token, file := filepath.Join(dir, "token"), filepath.Join(dir, "audit.jsonl")
	is.NoErr(os.WriteFile(token, []byte("ada "+secret+" requests=1\n"), 0o600))
	r := start(t, "--project", greeter(t), "--token-file", token, "--audit", file)
	for _, want := range []int{http.StatusNotFound, http.StatusTooManyRequests} {
		q, err := http.NewRequest("DELETE", r.url, nil)
		is.NoErr(err)
		q.Header.Set("Authorization", "Bearer "+secret)
		q.Header.Set("Mcp-Session-Id", "gone")
		a, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		a.Body.Close()
		is.Equal(a.StatusCode, want)
	}
	waittest.Until(t, "both are written", func() bool {
		text, _ := os.ReadFile(file)
		return strings.Count(string(text), `"event":"refused","caller":"ada","from":"127.0.0.1","session":"gone",`) == 2
	})
}

func TestTheAuditHasTheTraceOfARequestAndWhichInterceptorRefusedIt(t *testing.T) {
	is := is.New(t)
	root, file := greeter(t), filepath.Join(t.TempDir(), "audit.jsonl")
	is.NoErr(os.MkdirAll(filepath.Join(root, "interceptors", "never"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "interceptors", "never", "interceptor.meta.json"), []byte(`{"name":"never",
		"type":"validation","hooks":[{"events":["tools/call"],"phase":"request"}],"jq":"\"not today\""}`), 0o644))
	r := start(t, "--project", root, "--audit", file)
	traced := roundTripper(func(q *http.Request) (*http.Response, error) {
		q.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		return http.DefaultTransport.RoundTrip(q)
	})
	is.True(post(t.Context(), &http.Client{Transport: traced}, r.url, "greet", `{}`) != nil)
	waittest.Until(t, "it is written", func() bool {
		text, _ := os.ReadFile(file)
		return strings.Contains(string(text), `"reason":"refused by never: not today","trace":"0af7651916cd43dd8448eb211c80319c"`)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

func TestFiguresHaveAnAddressOfTheirOwn(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t), "--metrics-listen", "127.0.0.1:0")
	at := regexp.MustCompile(`http://\S+/metrics`).FindString(strings.Join(r.lines, "\n"))
	is.True(at != "") // the log says where
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", http.DefaultClient), "greet"), "hello\n")
	var figures string
	waittest.Until(t, "the call is counted", func() bool {
		_, figures = get(t, at)
		return strings.Contains(figures, `mcp_call_duration_seconds_count{method="tools/call",name="greet",outcome="ok"} 1`)
	})
	is.True(strings.Contains(figures, `mcp_calls_open{method="tools/call"} 0`))
	is.True(strings.Contains(figures, "mcp_http_sessions_open 1\n"))
	status, _ := get(t, r.base+"/metrics")
	is.Equal(status, http.StatusNotFound)
	for _, path := range []string{"/healthz", "/readyz"} {
		status, _ := get(t, strings.TrimSuffix(at, "/metrics")+path)
		is.Equal(status, http.StatusOK)
	}
}

func TestFiguresHaveTheSlotsAndWhoWaitsForOne(t *testing.T) {
	is := is.New(t)
	root := greeter(t)
	is.NoErr(os.WriteFile(filepath.Join(root, "tools", "greet", "tool.sh"), []byte("#!/usr/bin/env bash\n"+
		`until [ -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done`+"\n"), 0o755))
	t.Setenv("MCPBASH_MAX_CONCURRENT_REQUESTS", "2")
	r := start(t, "--project", root)
	done := make(chan error, 3)
	for range 3 {
		go func() { done <- post(t.Context(), http.DefaultClient, r.url, "greet", `{}`) }()
	}
	has := func(lines string) func() bool {
		return func() bool { _, figures := get(t, r.base+"/metrics"); return !missing(figures, lines) }
	}
	waittest.Until(t, "two work, and one waits", has("mcp_slots 2\nmcp_slots_taken 2\nmcp_calls_waiting 1\n"))
	is.NoErr(os.WriteFile(filepath.Join(root, "go"), nil, 0o644))
	for range 3 {
		is.NoErr(<-done)
	}
	waittest.Until(t, "the slots are free", has("mcp_slots 2\nmcp_slots_taken 0\nmcp_calls_waiting 0\n"))
}

func missing(figures, lines string) bool {
	for line := range strings.Lines(lines) {
		if !strings.Contains(figures, "\n"+line) {
			return true
		}
	}
	return false
}

func TestFiguresOfReplicasAndWorkersHaveTheStateOfNATS(t *testing.T) {
	c := newCluster(t)
	members := map[string]*member{
		"replica": c.start("a", "--use-workers", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"),
		"worker":  c.start("w", "--worker", "--slots", "1", "--metrics-listen", "127.0.0.1:0"),
	}
	all := func(what string, want ...string) {
		for name, m := range members {
			waittest.Until(t, name+": "+what, func() bool {
				_, figures := get(t, m.figures)
				return !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(figures, line+"\n") })
			})
		}
	}
	all("connected", "mcp_nats_connected 1", "mcp_nats_reconnects 0")
	_, figures := get(t, members["replica"].figures)
	is.New(t).True(strings.Contains(figures, "mcp_worker_calls_waiting 0\n"))
	begin := c.stopNATS()
	all("not connected", "mcp_nats_connected 0")
	begin()
	all("connected again", "mcp_nats_connected 1", "mcp_nats_reconnects 1")
}

func TestTheAuditNamesTheWorkerOfACall(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	c.worker("anvil", 1)
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	r := c.start("a", "--use-workers", "--listen", "127.0.0.1:0", "--production", "--audit", file)
	is.NoErr(post(t.Context(), http.DefaultClient, r.url, "note", `{}`)) // without a session
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", http.DefaultClient), "note"), "")
	waittest.Until(t, "both lines are written, with the worker", func() bool {
		text, _ := os.ReadFile(file)
		return strings.Count(string(text), `"worker":"anvil"`) == 2
	})
}

func TestATaskHasALineWhenItBeginsAndOneWhenItHasEnded(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	meta := filepath.Join(c.root, "tools", "stay", "tool.meta.json")
	is.NoErr(os.WriteFile(meta, []byte(`{"name":"stay","description":"notes","taskSupport":"required"}`), 0o644))
	c.worker("anvil", 1)
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	r := c.start("a", "--use-workers", "--listen", "127.0.0.1:0", "--production", "--audit", file,
		"--metrics-listen", "127.0.0.1:0")
	is.NoErr(postWith(t.Context(), http.DefaultClient, r.url, "stay", `{}`, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`))
	has := func(want ...string) func() bool {
		return func() bool {
			text, _ := os.ReadFile(file)
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			return len(lines) == len(want) && !slices.ContainsFunc(want, func(line string) bool {
				return !strings.Contains(changing.ReplaceAllString(string(text), ""), line)
			})
		}
	}
	const call = `{"event":"call","from":"127.0.0.1","id":"1","method":"tools/call","name":"stay","outcome":"task",`
	waittest.Until(t, "the call is a task", has(call))
	is.NoErr(os.WriteFile(filepath.Join(c.root, "go"), nil, 0o644))
	waittest.Until(t, "the task has ended", has(call,
		`{"event":"task","from":"127.0.0.1","id":"1","method":"tools/call","name":"stay","outcome":"ok",`))
	written, err := os.ReadFile(file)
	is.NoErr(err)
	is.True(strings.Contains(string(written), `"worker":"anvil"`))
	_, figures := get(t, r.figures)
	is.True(strings.Contains(figures, `mcp_calls_open{method="tools/call"} 0`))
	is.True(strings.Contains(figures, `mcp_call_duration_seconds_count{method="tools/call",name="stay",outcome="ok"} 1`))
}
