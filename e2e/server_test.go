package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/mcp/mcptest"
)

// workshop is the project that most tests call.
const workshop = "testdata/project"

// command returns a run of the binary. Its environment is that of a client that passes
// on no variables; its log is shown if the test fails.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = bare()
	var log bytes.Buffer
	cmd.Stderr = &log
	t.Cleanup(func() {
		if t.Failed() && log.Len() > 0 {
			t.Logf("stderr of the server:\n%s", log.String())
		}
	})
	return cmd
}

// bare returns a minimal environment.
func bare() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SYSTEMROOT", "TEMP", "TMP"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// A server is a running binary and the pipes to it.
type server struct {
	t    testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	pipe *os.File // its stdout
	out  *bufio.Reader
}

// start runs the command until the end of the test. Its output is validated against
// the schemas of the protocol.
func start(t testing.TB, cmd *exec.Cmd) *server {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, into, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = into
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	into.Close()
	out.SetReadDeadline(time.Now().Add(rig.Patience))
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		out.Close()
	})
	check := mcptest.New(t)
	return &server{t: t, cmd: cmd, in: input{check.Writer(in), in}, pipe: out, out: bufio.NewReader(check.Reader(out))}
}

// input is the stdin of a server.
type input struct {
	io.Writer
	io.Closer
}

// send writes lines to the server. It ignores errors: if the server has ended, tests
// notice the missing answers.
func (s *server) send(lines ...string) {
	for _, line := range lines {
		io.WriteString(s.in, line+"\n")
	}
}

// recv waits for the next line from the server; false at the end of its output. On a
// timeout the failure contains what was expected.
func (s *server) recv(what string) (string, bool) {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	switch {
	case err == nil:
		return strings.TrimSuffix(line, "\n"), true
	case !errors.Is(err, io.EOF):
		s.t.Fatalf("waiting for %s: %v", what, err)
	case line != "":
		s.t.Errorf("the output ends in the middle of a line: %s", line)
	}
	return "", false
}

// rest returns the lines up to the end of the server's output.
func (s *server) rest() []string {
	s.t.Helper()
	var lines []string
	for {
		line, ok := s.recv("the end of the output")
		if !ok {
			return lines
		}
		lines = append(lines, line)
	}
}

// wait waits until the server exits by itself, and returns its exit code.
func (s *server) wait() int {
	s.t.Helper()
	kill := time.AfterFunc(rig.Patience, func() { s.cmd.Process.Kill() })
	defer kill.Stop()
	if err := s.cmd.Wait(); err != nil && s.cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}
