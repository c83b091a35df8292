package main

import (
	"bytes"
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
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestToolsTheirProgressQuestionsAndCancellationGoThroughAWorker(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	c.worker("w", 2)
	url := c.replica("a").url
	progress := make(chan string, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirmed": true}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Message },
	})
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		is.NoErr(err)
		defer s.Close()
		is.Equal(text(t, s, "greet"), "hello\n")
		is.Equal(strings.TrimSpace(text(t, s, "ask")), "accept")
		params := &mcp.CallToolParams{Name: "talk"}
		params.SetProgressToken("p")
		_, err = s.CallTool(t.Context(), params)
		is.NoErr(err)
		is.Equal(<-progress, "half")
		is.Equal(<-progress, "done")
	}
	s := httpdtest.Visit(t, url, "2025-11-25", nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "hold"})
		ended <- err
	}()
	waittest.Until(t, "the tool runs", func() bool { return len(c.lines("ran")) == 1 })
	cancel()
	is.True(<-ended != nil)
	waittest.Until(t, "the tool is ended", func() bool { return len(c.lines("ended")) == 1 })
}

func TestCallsOfAWorkerThatIsKilledFailAndAreNotRunAgain(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	c := newCluster(t)
	first := c.worker("first", 4)
	url := c.replica("a").url
	failed := make(chan error, 4)
	for i := range 4 {
		go func() { failed <- post(t.Context(), http.DefaultClient, url, "hold", fmt.Sprintf(`{"n":%d}`, i)) }()
	}
	waittest.Until(t, "all run", func() bool { return len(c.lines("ran")) == 4 })
	c.worker("second", 4)
	is.NoErr(first.Process.Kill())
	for range 4 {
		err := <-failed
		is.True(strings.Contains(err.Error(), "the call was lost: worker first has been silent for"))
	}
	is.Equal(len(c.lines("ran")), 4)
	is.NoErr(post(t.Context(), http.DefaultClient, url, "note", `{}`)) // the other one goes on
}

func TestACallAndItsResultOutliveARestartOfNATS(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	c := newCluster(t)
	c.worker("w", 4)
	url := c.replica("a").url
	done := make(chan error, 2)
	go func() { done <- post(t.Context(), http.DefaultClient, url, "stay", `{"n":1}`) }()
	waittest.Until(t, "the tool runs", func() bool { return len(c.lines("ran")) == 1 })
	start := c.stopNATS()
	is.NoErr(os.WriteFile(filepath.Join(c.root, "go"), nil, 0o644))                       // it ends while NATS is gone
	go func() { done <- post(t.Context(), http.DefaultClient, url, "note", `{"n":2}`) }() // and another one waits
	waittest.Until(t, "the tool has ended", func() bool { return len(c.lines("stayed")) == 1 })
	start()
	is.NoErr(<-done)
	is.NoErr(<-done)
	is.Equal(len(c.lines("ran")), 2)
}

func TestAWorkerThatIsAskedToEndFinishesItsCallsFirst(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that asks a process to end, which this test sends")
	}
	is := is.New(t)
	c := newCluster(t)
	w := c.start("w", "--worker", "--slots", "2", "--grace", "5m") // as long as another process may take to start
	url := c.replica("a").url
	done := make(chan error, 1)
	go func() { done <- post(t.Context(), http.DefaultClient, url, "stay", `{}`) }()
	waittest.Until(t, "the tool runs", func() bool { return len(c.lines("ran")) == 1 })
	is.NoErr(w.Process.Signal(syscall.SIGTERM))
	c.worker("next", 2)
	is.NoErr(post(t.Context(), http.DefaultClient, url, "note", `{}`))
	is.NoErr(os.WriteFile(filepath.Join(c.root, "go"), nil, 0o644))
	is.NoErr(<-done)
	is.NoErr(w.Wait())
}

// brokerProcess starts a NATS server in a process of its own, in place of the one of the cluster.
func (c *cluster) brokerProcess() *exec.Cmd {
	c.t.Helper()
	address := strings.TrimPrefix(c.url, "nats://")
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	p := exec.Command(self)
	p.Env = append(os.Environ(), "NATS_STORE="+c.store, "NATS_ADDRESS="+address)
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	waittest.Until(c.t, "NATS listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return p
}

// serveNATS is the process of brokerProcess.
func serveNATS(store, address string) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		panic(err)
	}
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: at.Port, JetStream: true, StoreDir: store, NoLog: true})
	if err != nil {
		panic(err)
	}
	s.Start()
	s.WaitForShutdown()
}

// TestOnlyCallsWhoseProcessIsKilledAreLostAndNoneRunsTwice is the table of faults: each kind of process is killed,
// stopped for a while, and started again, while calls are under way.
func TestOnlyCallsWhoseProcessIsKilledAreLostAndNoneRunsTwice(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	const total, callers = 1000, 48
	c := newCluster(t)
	c.stopNATS()
	nats := c.brokerProcess()
	workers := []*member{c.worker("w1", 4), c.worker("w2", 4), c.worker("w3", 4)}
	replicas := []*member{c.replica("a"), c.replica("b"), c.replica("c")}
	var urls atomic.Value // of the replicas that calls go to
	serving := func(all ...*member) {
		var to []string
		for _, r := range all {
			to = append(to, r.url)
		}
		urls.Store(to)
	}
	serving(replicas...)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	var next, ended atomic.Int64
	outcomes, asked := make([]error, total), make([]string, total)
	var calling sync.WaitGroup
	for range callers {
		calling.Go(func() {
			for n := int(next.Add(1)) - 1; n < total; n = int(next.Add(1)) - 1 {
				to := urls.Load().([]string)
				asked[n] = to[n%len(to)]
				outcomes[n] = post(ctx, client, asked[n], "note", fmt.Sprintf(`{"n":%d}`, n))
				ended.Add(1)
			}
		})
	}
	until := func(calls int64) {
		waittest.Until(t, "calls have ended", func() bool { return ended.Load() >= min(calls, total) })
	}
	kill := func(p *exec.Cmd) {
		is.NoErr(p.Process.Kill())
		_ = p.Wait()
	}
	stop := func(p *exec.Cmd, meanwhile func()) {
		if runtime.GOOS == "windows" { // it cannot stop processes
			return
		}
		is.NoErr(exec.Command("kill", "-STOP", fmt.Sprint(p.Process.Pid)).Run())
		meanwhile()
		is.NoErr(exec.Command("kill", "-CONT", fmt.Sprint(p.Process.Pid)).Run())
	}
	finish := func(p *exec.Cmd) {
		if runtime.GOOS != "windows" { // it has no signal that asks a process to end
			is.NoErr(p.Process.Signal(syscall.SIGTERM))
			is.NoErr(p.Wait())
		}
	}
	others := func() { until(ended.Load() + 20) }
	faults := []struct {
		what string
		do   func()
	}{
		{"NATS is killed and started", func() { kill(nats); nats = c.brokerProcess() }},
		{"a worker is killed", func() { kill(workers[0].Cmd) }},
		{"a worker is started, another one ended", func() { c.worker("w4", 4); finish(workers[1].Cmd) }},
		{"a worker is stopped for a while", func() { stop(workers[2].Cmd, others) }},
		{"a replica is stopped for a while", func() { stop(replicas[1].Cmd, others) }},
		{"a replica is killed", func() { serving(replicas[:2]...); kill(replicas[2].Cmd) }},
		{"NATS is stopped for a while", func() {
			began := time.Now()
			stop(nats, func() { waittest.Until(t, "a second is over", func() bool { return time.Since(began) > time.Second }) })
		}},
		{"a replica is started, another one ended", func() { serving(replicas[0], c.replica("d")); finish(replicas[1].Cmd) }},
		{"NATS is ended and started", func() {
			if finish(nats); runtime.GOOS == "windows" {
				kill(nats)
			}
			c.brokerProcess()
		}},
	}
	for i, fault := range faults {
		until(int64((i + 1) * total / (len(faults) + 1)))
		t.Log(ended.Load(), fault.what)
		fault.do()
	}
	calling.Wait()

	ran := make(map[string]int)
	for _, line := range c.lines("ran") {
		ran[line]++
	}
	lost, refused := 0, 0
	for n, err := range outcomes {
		times := ran[fmt.Sprintf(`{"n":%d}`, n)]
		switch {
		case times > 1:
			t.Errorf("call %d was run %d times", n, times)
		case err == nil && times != 1:
			t.Errorf("call %d has succeeded and was not run", n)
		case err == nil:
		case strings.Contains(err.Error(), "the call was lost: worker w1 has been silent"):
			lost++
		case errors.As(err, new(unanswered)) && ctx.Err() == nil && (asked[n] == replicas[2].url || times == 0):
			refused++
		default:
			t.Errorf("call %d: %v", n, err)
		}
	}
	t.Logf("%d calls: %d lost with their worker, %d with their replica", total, lost, refused)
	is.True(lost <= 4)          // the slots of the worker
	is.True(refused <= callers) // the requests that were open
	waittest.Until(t, "the workers are idle", func() bool {
		var out bytes.Buffer
		var all []calls.Status
		is.NoErr(top(t.Context(), &out, clusterOptions{url: c.url, name: c.name}, true))
		is.NoErr(json.Unmarshal(out.Bytes(), &all))
		for _, s := range all {
			if s.Running+s.Waiting > 0 {
				return false
			}
		}
		return len(all) == 4 || runtime.GOOS == "windows"
	})
}

func TestAClusterIsCalledAsItsProject(t *testing.T) {
	is := is.New(t)
	is.Equal(inSubjects("my-tools"), "my-tools")
	seen := make(map[string]bool)
	for _, name := range []string{"my.tools", "my tools", "*", ">", "日本", "中国", strings.Repeat("a", 33), strings.Repeat("a", 34)} {
		made := inSubjects(name)
		is.True(regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`).MatchString(made)) // what NATS allows
		is.True(!seen[made])                                                   // another project's
		seen[made] = true
	}
}

func TestAReplicaAndAWorkerOfAProjectFindEachOtherByItsName(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	is.NoErr(os.MkdirAll(filepath.Join(c.root, "server.d"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(c.root, "server.d/server.meta.json"), []byte(`{"name":"Tools of *all*"}`), 0o644))
	there := newCluster(t) // where the folder has another name
	is.NoErr(os.CopyFS(filepath.Join(there.root, "copy"), os.DirFS(c.root)))
	c.root, there.root, there.url = filepath.Join(there.root, "copy"), c.root, c.url
	c.worker("w", 1)
	is.NoErr(post(t.Context(), http.DefaultClient, there.replica("r").url, "note", `{}`))
}

func TestTopShowsReplicasWorkersAndTheCallsAtWork(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	rule := filepath.Join(c.root, "interceptors/no-notes")
	is.NoErr(os.MkdirAll(rule, 0o755))
	is.NoErr(os.WriteFile(filepath.Join(rule, "no-notes.meta.json"),
		[]byte(`{"type":"validation","hooks":[{"events":["tools/call"],"phase":"request"}],"jq":".name != \"note\""}`), 0o644))
	c.worker("anvil", 3)
	url := c.replica("east").url
	c.start("alone", "--listen", "127.0.0.1:0", "--production")
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- post(ctx, http.DefaultClient, url, "hold", `{}`) }()
	waittest.Until(t, "the tool runs", func() bool { return len(c.lines("ran")) == 1 })
	is.True(post(ctx, http.DefaultClient, url, "note", `{}`) != nil) // refused
	var out strings.Builder
	var shown string
	waittest.Until(t, "all three answer in time", func() bool {
		out.Reset()
		cmd := command(t.Context(), &out, io.Discard, nil)
		cmd.SetArgs([]string{"top", "--cluster", c.url, "--cluster-name", c.name})
		is.NoErr(cmd.Execute())
		var rows []string
		for line := range strings.Lines(out.String()) {
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		}
		shown = strings.Join(rows, "\n")
		return strings.Count(shown, "replica ")+strings.Count(shown, "worker ") >= 3
	})
	for _, want := range []string{
		`KIND NAME HOST PID SLOTS RUNNING WAITING ENDED REFUSED UP VERSION PROJECT`,
		`replica alone \S+ \d+ \S+ 0 0 0 0 `, `replica east \S+ \d+ remote 1 0 0 1 `, `worker anvil \S+ \d+ 3 1 0 0 0 `,
		`CALL AGE REPLICA WORKER`, `hold \S+ east anvil`,
	} {
		if !regexp.MustCompile(want).MatchString(shown) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
	cancel()
	is.True(<-done != nil)
}

func TestAReplicaIsReadyWhenItHasSeenAWorker(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	c := newCluster(t)
	base := strings.TrimSuffix(c.replica("a").url, "/mcp")
	status, body := get(t, base+"/readyz")
	is.Equal(status, 503)
	is.Equal(body, "no worker has been seen\n")
	status, _ = get(t, base+"/healthz")
	is.Equal(status, 200)
	c.worker("w", 2)
	waittest.Until(t, "the replica is ready", func() bool {
		status, body := get(t, base+"/readyz")
		return status == 200 && body == "ok\n"
	})
	_, figures := get(t, base+"/metrics")
	is.True(strings.Contains(figures, "\nmcp_workers_seen 1\n"))
	is.True(strings.Contains(figures, "\nmcp_workers_busy 0\n"))
	is.True(strings.Contains(figures, "\nmcp_worker_offers_repeated 0\n"))
}
