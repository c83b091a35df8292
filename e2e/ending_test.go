package e2e

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/mcp/mcptest"
)

// A watch detects the end of processes: they hold a pipe open, and the watch reads its
// end when the last of them has ended.
type watch struct {
	t    *testing.T
	keep *os.File // so that the pipe has no end before they begin
	pipe *os.File
	out  *bufio.Reader
}

// watchTree returns a watch for the tool "tree" of a server with MCP_E2E_DIR=dir.
func watchTree(t *testing.T, dir string) *watch {
	t.Helper()
	path := filepath.Join(dir, "alive")
	keep := fifo(t, path)
	pipe, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	if err := pipe.SetReadDeadline(time.Now().Add(rig.Patience)); err != nil {
		t.Fatal(err)
	}
	return &watch{t: t, keep: keep, pipe: pipe, out: bufio.NewReader(pipe)}
}

// grown waits until all processes of the tree run.
func (w *watch) grown() {
	w.t.Helper()
	want := []string{"child", "grandchild", "tool"}
	if _, err := exec.LookPath("setsid"); err == nil {
		want = append(want, "runaway")
	}
	w.alive(want...)
}

// alive waits until the processes with these names run.
func (w *watch) alive(want ...string) {
	w.t.Helper()
	slices.Sort(want)
	var got []string
	for range want {
		name, err := w.out.ReadString('\n')
		if err != nil {
			w.t.Fatalf("waiting for the tree of processes, with %v so far: %v", got, err)
		}
		got = append(got, strings.TrimSpace(name))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.t.Fatalf("the tree is %v, should be %v", got, want)
	}
	w.keep.Close()
}

// gone waits until all of them have ended.
func (w *watch) gone() {
	w.t.Helper()
	if _, err := w.out.ReadByte(); !errors.Is(err, io.EOF) {
		w.t.Errorf("processes are left: %v", err)
	}
}

func TestACancelledCallLeavesNoProcess(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	dir := t.TempDir()
	tree := watchTree(t, dir)
	session := connect(t, nil, "MCP_E2E_DIR="+dir)
	ctx, cancel := context.WithCancel(patient(t))
	answer := make(chan error, 1)
	go func() {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "tree"})
		answer <- err
	}()
	tree.grown()
	is.NoErr(session.Ping(patient(t), nil)) // others are served meanwhile
	cancel()
	tree.gone()
	is.True(errors.Is(next(t, answer), context.Canceled))                              // the client does not wait
	is.Equal(textOf(call(t, session, "echo", `{"still":"here"}`)), `{"still":"here"}`) // the server goes on
}

func TestWhatWasReadIsAnsweredAfterTheEndOfInput(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	cmd := command(t, "serve", "-C", workshop)
	said := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"n":2}}}
{"jsonrpc":"2.0","id":3,"method":"ping"}` // a last line without its end counts
	cmd.Stdin = strings.NewReader(said)
	out, err := cmd.Output()
	is.NoErr(err) // exit code 0
	mcptest.New(t).Played([]byte(said), out)
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(answered(a), answered(b)) })
	is.Equal(len(lines), 3)
	is.Equal(answered(lines[0]), "1")
	is.Equal(lines[1], `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"n\":2}"}],"structuredContent":{"n":2},"isError":false,"_meta":{"exitCode":0}}}`)
	is.Equal(lines[2], `{"jsonrpc":"2.0","id":3,"result":{}}`)
}

func TestASignalEndsTheServerAndItsTools(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			dir := t.TempDir()
			tree := watchTree(t, dir)
			cmd := command(t, "serve", "-C", workshop)
			cmd.Env = append(cmd.Env, "MCP_E2E_DIR="+dir)
			s := start(t, cmd)
			s.send(callTree...)
			tree.grown()
			is.NoErr(s.cmd.Process.Signal(signal))
			tree.gone()
			for _, line := range s.rest() {
				is.True(strings.HasPrefix(line, `{"jsonrpc":"2.0",`)) // no last words but messages
			}
			is.Equal(s.wait(), 0) // it was asked to
		})
	}
}

var callTree = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tree"}}`,
}

func TestAClientThatReadsNoMoreEndsTheServer(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	dir := t.TempDir()
	tree := watchTree(t, dir)
	cmd := command(t, "serve", "-C", workshop)
	cmd.Env = append(cmd.Env, "MCP_E2E_DIR="+dir)
	s := start(t, cmd)
	s.send(callTree...)
	tree.grown()
	s.pipe.Close()
	s.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	tree.gone()
	is.Equal(s.wait(), 0) // that is how clients go
}

// beClient is the environment variable that makes a process of the test binary run
// client. Its value is the folder of the watch.
const beClient = "MCP_BASH_E2E_CLIENT"

func TestTheDeathOfTheClientEndsTheServerAndItsTools(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	dir := t.TempDir()
	tree := watchTree(t, dir)
	killed := exec.Command(os.Args[0])
	killed.Env = append(bare(), beClient+"="+dir, "MCP_BASH_E2E_BINARY="+binary)
	killed.Stderr = os.Stderr
	is.NoErr(killed.Start())
	t.Cleanup(func() { killed.Process.Kill() })
	tree.grown()
	is.NoErr(killed.Process.Kill()) // it cannot clean up
	killed.Wait()
	tree.gone() // the server too: see client
}

// client is a client that calls the tool "tree" and waits to be killed. Its
// server holds the pipe of the watch open too.
func client() {
	dir := os.Getenv(beClient)
	pipe, err := os.OpenFile(filepath.Join(dir, "alive"), os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Getenv("MCP_BASH_E2E_BINARY"), "serve", "-C", workshop)
	cmd.Env = append(bare(), "MCP_E2E_DIR="+dir, "MCPBASH_SHUTDOWN_TIMEOUT=0.2")
	cmd.ExtraFiles = []*os.File{pipe}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	io.WriteString(stdin, strings.Join(callTree, "\n")+"\n")
	io.Copy(io.Discard, stdout)
	os.Exit(0)
}
