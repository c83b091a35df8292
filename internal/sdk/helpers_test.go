package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// installed is the installed SDK, shared by all tests of a run.
var installed string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mcp-bash" { // the program that helpers without a server call
		answer, err := ByHand(context.Background(), os.Stdin, os.Stderr)
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(answer)
		return
	}
	dir, err := os.MkdirTemp("", "sdk-test.")
	if err == nil {
		installed, err = Install(filepath.Join(dir, "with a blank"))
	}
	if err != nil {
		panic(err)
	}
	shelltest.AtOnce(4)
	code := shelltest.Main(m)
	os.RemoveAll(dir)
	os.Exit(code)
}

// A tool is a script and what the server gives it, in place of internal/run.
type tool struct {
	server Server
	call   Call
	shell  []string // bash if empty
	path   string   // PATH; no program can be found if it is empty
	env    []string
	byHand bool // without a channel

	prepared func(dir string) // is called with the folder of the script before it starts

	heard   heard
	opened  chan *Channel // gets the channel, if not nil
	started *firstRead    // signals when the script was started; only with opened
	closes  bool          // the channel is closed while the script runs
}

// heard holds what the client received.
type heard struct {
	mu    sync.Mutex
	lines []string
}

func (h *heard) add(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lines, "\n")
}

// ended holds what a script left behind.
type ended struct {
	stdout, stderr string
	code           int
	fault          string // in MCP_TOOL_ERROR_FILE
	resources      string // in MCP_TOOL_RESOURCES_FILE
}

func (e ended) String() string {
	return fmt.Sprintf("stdout %q, stderr %q, code %d", e.stdout, e.stderr, e.code)
}

// source is the beginning of the scripts in the tests.
const source = `. "$MCP_SDK/tool-sdk.sh"` + "\n"

// inShell names the shell of internal/shelltest in which all tests run; the first if it is empty.
const inShell = "MCPBASH_TEST_SHELL"

// shell returns the command that runs the tools of the tests. Without such a shell, the test is skipped.
func shell(t testing.TB) []string {
	t.Helper()
	for _, s := range shelltest.Shells() {
		if name := os.Getenv(inShell); name == "" || name == s.Name {
			if s.Command == nil {
				t.Skip(s.Missing)
			}
			return s.Command
		}
	}
	t.Fatalf("%s=%s is no shell of internal/shelltest", inShell, os.Getenv(inShell))
	return nil
}

// inOneShell skips a test, in the runs for other shells, in which the shell does not matter.
func inOneShell(t *testing.T) {
	t.Helper()
	if os.Getenv(inShell) != "" {
		t.Skip("the run in the first shell shows this")
	}
}

// bash is the program of the shell.
func bash(t testing.TB) string {
	t.Helper()
	return shell(t)[0]
}

// run runs a script that begins with the SDK.
func (x *tool) run(t testing.TB, text string) ended {
	t.Helper()
	return x.start(t, text)()
}

// firstRead is an empty stdin that signals when it is read, which is after the
// script was started.
type firstRead struct {
	once sync.Once
	read chan struct{}
}

func (f *firstRead) Read([]byte) (int, error) {
	f.once.Do(func() { close(f.read) })
	return 0, io.EOF
}

// start starts a script and returns a func that waits for it.
func (x *tool) start(t testing.TB, text string) func() ended {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "tool.sh")
	if err := os.WriteFile(file, []byte(source+text), 0o700); err != nil {
		t.Fatal(err)
	}
	command := append(append([]string{}, x.shell...), file)
	if x.shell == nil {
		command = append(slices.Clone(shell(t)), file)
	}
	x.call.Dir = filepath.Join(dir, "call")
	if err := os.Mkdir(x.call.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if x.prepared != nil {
		x.prepared(dir)
	}
	path := x.path
	if path == "" {
		path = "/nonexistent"
	}
	faults, resources := filepath.Join(dir, "error.json"), filepath.Join(dir, "resources")
	cancelled := filepath.Join(dir, "cancelled")
	env := append([]string{
		"PATH=" + path, "MCP_SDK=" + installed, "LANG=C.UTF-8", "HOME=" + dir, "TMPDIR=" + dir,
		"MCP_TOOL_ERROR_FILE=" + faults, "MCP_TOOL_RESOURCES_FILE=" + resources, "MCP_CANCEL_FILE=" + cancelled,
	}, x.env...)
	cmd := process.Command{Path: command[0], Args: command[1:], Dir: dir, Env: env}
	stdout, stderr := process.Head{Limit: 64 << 20}, process.Head{Limit: 1 << 20}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var channel *Channel
	if !x.byHand {
		var err error
		if channel, err = x.server.Open(t.Context(), x.call); err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, channel.Env()...)
		cmd.ExtraFiles = channel.Files()
		if x.closes { // what the Runner reads may not be closed meanwhile
			readRequests(channel)
		} else if from := channel.Requests(); from != nil {
			cmd.Copies = []process.Copy{{From: from, To: channel}}
		}
		if x.opened != nil {
			x.started = &firstRead{read: make(chan struct{})}
			cmd.Stdin = x.started
			x.opened <- channel
		}
	}
	done := make(chan ended, 1)
	go func() {
		var r process.Runner
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
		defer cancel()
		res, err := r.Run(ctx, cmd)
		if err != nil {
			t.Error(err)
		}
		if channel != nil {
			channel.Close()
		}
		e := ended{stdout: string(stdout.Bytes()), stderr: string(stderr.Bytes()), code: res.ExitCode}
		b, _ := os.ReadFile(faults)
		e.fault = string(b)
		b, _ = os.ReadFile(resources)
		e.resources = string(b)
		done <- e
	}()
	return func() ended { return <-done }
}

// closing has a lock for each channel that is closed.
var closing sync.Map

// Close ends a channel of a tool of which something may be left. Unlike End and Free it may be called twice at once: by
// a test, and when the tool has ended.
func (c *Channel) Close() {
	one, _ := closing.LoadOrStore(c, new(sync.Mutex))
	one.(*sync.Mutex).Lock()
	defer one.(*sync.Mutex).Unlock()
	c.End(false)
	c.Free()
}

// readRequests lets a channel handle what is written to its pipe, until it is closed.
func readRequests(c *Channel) {
	if from := c.Requests(); from != nil {
		go func() { _, _ = io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{from}) }()
	}
}

// connected returns a tool whose client supports everything. What the client gets is
// recorded in heard; ask answers questions.
func connected(ask func(method string, params json.RawMessage) (string, error)) *tool {
	x := new(tool)
	x.call.Progress = func(_ context.Context, p mcp.ProgressParams) error {
		x.heard.add("%s %q", strings.TrimSuffix("progress "+string(p.Progress)+"/"+string(p.Total), "/"), p.Message)
		return nil
	}
	x.call.Log = func(_ context.Context, p mcp.LogParams) error {
		x.heard.add("%s %q %s", p.Level, p.Logger, p.Data)
		return nil
	}
	if ask != nil {
		x.call.Ask = each(func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
			x.heard.add("%s %s", method, params)
			answer, err := ask(method, params)
			return json.RawMessage(answer), err
		})
	}
	return x
}

// thenWrites makes a file after each progress, for scripts to wait for.
func thenWrites(tell func(context.Context, mcp.ProgressParams) error, path string) func(context.Context, mcp.ProgressParams) error {
	return func(ctx context.Context, p mcp.ProgressParams) error {
		return errors.Join(tell(ctx, p), os.WriteFile(path, nil, 0o600))
	}
}

// each returns a client that answers several questions in order.
func each(ask func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)) func(context.Context, ...Question) []Answer {
	return func(ctx context.Context, questions ...Question) []Answer {
		answers := make([]Answer, len(questions))
		for i, q := range questions {
			answers[i].Result, answers[i].Err = ask(ctx, q.Method, q.Params)
		}
		return answers
	}
}

// waitForEver returns a client whose user never answers. It signals each question.
func waitForEver(asked chan<- bool) func(context.Context, ...Question) []Answer {
	return each(func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		asked <- true
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
}
