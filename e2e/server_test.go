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

// command returns a run of the binary. Its environment is that of a client that
// passes nothing on; what it logs is shown if the test fails.
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

// bare is the environment with nothing in it but what programs need.
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

// start runs the command until the end of the test. What it writes is held
// against the schemas of the protocol.
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

// send writes lines to the server. One that has ended does not read them, which
// is for the answers to show.
func (s *server) send(lines ...string) {
	for _, line := range lines {
		io.WriteString(s.in, line+"\n")
	}
}

// recv waits for the next line from the server; false at the end of its output.
// The failure of one that waits in vain names what was expected.
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

// wait returns the exit code of a server that ends by itself.
func (s *server) wait() int {
	s.t.Helper()
	kill := time.AfterFunc(rig.Patience, func() { s.cmd.Process.Kill() })
	defer kill.Stop()
	if err := s.cmd.Wait(); err != nil && s.cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}
