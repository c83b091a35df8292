package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"
	"go.uber.org/goleak"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// files creates a project from files by their paths; those that begin with #! are executable.
func files(t testing.TB, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A client is the client side of a session. It counts the notifications that it receives.
type client struct {
	*jsonrpc2.Conn
	ended chan error // the result of Serve

	mu   sync.Mutex
	told map[string]int // notifications, by method
	news chan string    // the same, as they arrive; dropped if nobody reads them
}

func (c *client) Handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told[r.Method]++
	select {
	case c.news <- r.Method:
	default:
	}
}

// join opens a session on srv and confirms it.
func join(t testing.TB, srv *server.Server) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	c := &client{ended: make(chan error, 1), told: make(map[string]int), news: make(chan string, 1000)}
	go func() { c.ended <- srv.Serve(context.Background(), pipeline.NewNDJSON(ours, ours, 0)) }()
	c.Conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewPlainObjectStream(theirs), c, jsonrpc2.SetLogger(silent{}))
	var welcome struct{ ProtocolVersion string }
	if err := c.Call(t.Context(), "initialize", map[string]any{}, &welcome); err != nil {
		t.Fatal(err)
	}
	if err := c.Notify(t.Context(), "notifications/initialized", nil); err != nil {
		t.Fatal(err)
	}
	return c
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// leave ends the session by closing the client's side.
func (c *client) leave(t testing.TB) {
	t.Helper()
	c.Close()
	if err := <-c.ended; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a session ended with %v", err)
	}
}

// processes returns the running processes with a folder in their environment.
func processes(t testing.TB, folder string) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if env, err := os.ReadFile(path); err == nil && strings.Contains(string(env), "MCPBASH_PROJECT_ROOT="+folder) {
			found = append(found, path)
		}
	}
	return found
}

func TestAHundredSessionsShareAProjectAndLeaveNothingBehind(t *testing.T) {
	is := is.New(t)
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no sh, and the tools of this test are sh scripts")
	}
	before := goleak.IgnoreCurrent()
	project := files(t, map[string]string{
		"tools/echo/tool.sh":   "#!/bin/sh\n# mcp: {\"description\":\"what it was given\"}\nprintf %s \"$MCP_TOOL_ARGS_JSON\"\n",
		"tools/sleep/tool.sh":  "#!/bin/sh\n# mcp: {\"description\":\"takes long\"}\nsleep 77\n",
		"resources/notes.txt":  "first",
		"resources/notes.json": `{"name":"notes","uri":"file://./resources/notes.txt"}`,
	})
	state := t.TempDir()
	t.Setenv("TMPDIR", state)
	srv, err := server.Open(t.Context(), server.Options{ProjectRoot: project, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler)})
	is.NoErr(err)
	const sessions = 100
	var all sync.WaitGroup
	var edited atomic.Int32 // sessions that were notified of the edit
	ready, edit := make(chan struct{}, sessions), make(chan struct{})
	for n := range sessions {
		all.Go(func() {
			c := join(t, srv)
			defer c.leave(t)
			uri := "file://" + project + "/resources/notes.txt"
			if err := c.Call(t.Context(), "resources/subscribe", map[string]any{"uri": uri}, nil); err != nil {
				t.Errorf("subscribe: %v", err)
			}
			cancelled, stop := context.WithCancel(t.Context())
			waiting, err := c.DispatchCall(cancelled, "tools/call", map[string]any{"name": "sleep"}, jsonrpc2.PickID(jsonrpc2.ID{Num: 4711}))
			if err != nil {
				t.Errorf("call: %v", err)
			}
			if err := c.Notify(t.Context(), "notifications/cancelled", map[string]any{"requestId": 4711}); err != nil {
				t.Errorf("cancel: %v", err)
			}
			stop()
			_ = waiting.Wait(cancelled, nil) // nothing arrives
			for i := range 5 {
				want := fmt.Sprintf("%d/%d", n, i)
				var result struct {
					Content []struct{ Text string }
				}
				err := c.Call(t.Context(), "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"v": want}}, &result)
				if err != nil || len(result.Content) != 1 || !strings.Contains(result.Content[0].Text, want) {
					t.Errorf("session %d call %d: %v %v", n, i, result, err)
				}
			}
			ready <- struct{}{}
			<-edit
			deadline := time.After(time.Minute)
			for list, updated := false, false; !list || !updated; {
				select {
				case method := <-c.news:
					list = list || method == "notifications/tools/list_changed"
					updated = updated || method == "notifications/resources/updated"
				case <-deadline:
					t.Errorf("session %d was told list %v, resource %v", n, list, updated)
					return
				}
			}
			edited.Add(1)
		})
	}
	for range sessions {
		<-ready
	}
	is.NoErr(os.WriteFile(filepath.Join(project, "resources", "notes.txt"), []byte("second, and longer"), 0o600))
	is.NoErr(os.WriteFile(filepath.Join(project, "tools", "echo", "tool.meta.json"), []byte(`{"name":"echo","description":"edited"}`), 0o600))
	close(edit)
	all.Wait()
	is.Equal(int(edited.Load()), sessions) // each client was notified of both
	is.NoErr(srv.Close())
	left, err := os.ReadDir(state)
	is.NoErr(err)
	is.Equal(len(left), 0)                  // no file left
	is.Equal(len(processes(t, project)), 0) // no process left
	leaks := goleak.Find(before)
	for began := time.Now(); leaks != nil && time.Since(began) < time.Minute; leaks = goleak.Find(before) {
		continue // it waits, but for at most a second
	}
	is.NoErr(leaks) // no goroutine left
	in, out := net.Pipe()
	defer out.Close()
	is.True(srv.Serve(t.Context(), pipeline.NewNDJSON(in, in, 0)) != nil) // and no new session is accepted
}

func TestCloseEndsSessionsWithCallsAtWork(t *testing.T) {
	is := is.New(t)
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no sh, and the tools of this test are sh scripts")
	}
	project := files(t, map[string]string{
		"tools/sleep/tool.sh": "#!/bin/sh\n# mcp: {\"description\":\"takes long\"}\ntrap '' TERM\necho >started\nsleep 77\n",
	})
	srv, err := server.Open(t.Context(), server.Options{ProjectRoot: project, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler)})
	is.NoErr(err)
	c := join(t, srv)
	_, err = c.DispatchCall(t.Context(), "tools/call", map[string]any{"name": "sleep"})
	is.NoErr(err)
	for { // until the script runs
		if _, err := os.Stat(filepath.Join(project, "started")); err == nil {
			break
		}
		runtime.Gosched()
	}
	is.NoErr(srv.Close())
	is.Equal(len(processes(t, project)), 0)
	<-c.ended
	c.Close()
}

func TestSessionsHaveTheirOwnLifecycle(t *testing.T) {
	is := is.New(t)
	srv, err := server.Open(t.Context(), server.Options{ProjectRoot: files(t, map[string]string{"tools/x.sh": "#!/bin/sh\n"}), Log: slog.New(slog.DiscardHandler)})
	is.NoErr(err)
	defer srv.Close()
	first, second := join(t, srv), join(t, srv)
	var answer json.RawMessage
	is.NoErr(first.Call(t.Context(), "shutdown", nil, &answer))
	is.True(first.Call(t.Context(), "tools/list", nil, &answer) != nil) // it has ended
	is.NoErr(second.Call(t.Context(), "tools/list", nil, &answer))      // the other one has not
	first.leave(t)
	second.leave(t)
}
