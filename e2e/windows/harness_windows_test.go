// Package windows tests the built binary on machines without bash: with tools, prompts, completions and
// templates that are programs and batch files. The programs are copies of the test binary.
package windows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

var binary = flag.String("binary", "", "the mcp-bash.exe to test; it is built if there is none")

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(roleVariable)]; role != nil {
		role(os.Args[1:])
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(build(m.Run))
}

// build builds the program, unless there is one, into a folder that lasts as long as run.
func build(run func() int) int {
	if *binary != "" {
		return run()
	}
	dir, err := os.MkdirTemp("", "mcp-bash-windows.")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*binary = filepath.Join(dir, "mcp-bash.exe")
	if err := rig.Build(dir, "mcp-bash"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// project copies the project in testdata and adds files. Those that end in .exe are copies of the test
// binary.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "workshop")
	if err := os.CopyFS(root, os.DirFS("testdata/project")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if filepath.Ext(name) == ".exe" {
			becomeProgram(t, path)
		} else {
			rig.WriteProgram(t, path, text, 0o755)
		}
	}
	return root
}

// becomeProgram copies the test binary to a path. A link would not do: links to a running program cannot
// be removed.
func becomeProgram(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
}

// environ returns the environment that a client passes on: variables that programs need, a PATH without
// bash, and further variables.
func environ(more ...string) []string {
	system := os.Getenv("SYSTEMROOT")
	env := []string{`Path=` + system + `\system32;` + system}
	for _, name := range []string{"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, more...)
}

// command returns a run of a program in a folder. Its log is shown if the test fails.
func command(t *testing.T, dir string, env []string, words ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var log bytes.Buffer
	cmd.Stderr = &log
	t.Cleanup(func() {
		if t.Failed() && log.Len() > 0 {
			t.Logf("%s wrote to stderr:\n%s", filepath.Base(words[0]), log.String())
		}
	})
	return cmd
}

// A server is a running binary and the pipes to it.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	stdout io.Closer
	out    *bufio.Reader // reads it
	end    string        // of its lines
	id     int           // of the last call
}

// serve starts a server on a project until the end of the test.
func serve(t *testing.T, root string, variables ...string) *server {
	t.Helper()
	return start(t, command(t, root, environ(variables...), *binary, "serve"))
}

func start(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	in, out := rig.Start(t, cmd)
	// Pipes have no deadlines on Windows, so a server that does not answer is killed.
	limit := time.AfterFunc(rig.Patience, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		limit.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &server{t: t, cmd: cmd, in: in, stdout: out, out: bufio.NewReader(out), end: "\n"}
}

func (s *server) send(line string) { io.WriteString(s.in, line+s.end) }

// recv returns the next line of the server; false at the end of its output.
func (s *server) recv() (string, bool) {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) || line != "" && err != nil {
		s.t.Fatalf("the output ends with %q: %v", line, err)
	}
	return line, err == nil
}

// close ends the session as clients do, and checks that the server exits without an error.
func (s *server) close() {
	s.t.Helper()
	s.in.Close()
	for ok := true; ok; {
		_, ok = s.recv()
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

// open begins a session.
func (s *server) open() *server {
	s.t.Helper()
	s.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"windows","version":"1"}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// An answer is the server's answer to a call.
type answer struct {
	Result struct {
		IsError bool
		Content []struct{ Text string }
	}
	Error *struct{ Message string }
}

// text returns the text of an answer, or the message of its error.
func (a answer) text() string {
	if a.Error != nil {
		return a.Error.Message
	}
	if len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

// ask sends a call and waits for its answer.
func (s *server) ask(method, params string) answer {
	s.t.Helper()
	s.begin(method, params)
	return s.answer()
}

// begin sends a call.
func (s *server) begin(method, params string) {
	s.id++
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.id, method, params))
}

// answer waits for the answer to the last call.
func (s *server) answer() answer {
	s.t.Helper()
	for {
		line, ok := s.recv()
		if !ok {
			s.t.Fatal("the server has ended without an answer")
		}
		if idOf(line) != strconv.Itoa(s.id) {
			continue
		}
		var got answer
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			s.t.Fatalf("%v in %s", err, line)
		}
		return got
	}
}

// call calls a tool.
func (s *server) call(tool string, arguments any) answer {
	s.t.Helper()
	text, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.ask("tools/call", string(text))
}
