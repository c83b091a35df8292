//go:build unix

package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// runner serves all tests: a process can have one that adopts.
var runner Runner

func TestMain(m *testing.M) {
	if err := runner.Adopt(); err != nil {
		panic(err)
	}
	shelltest.AtOnce(8)
	os.Exit(m.Run())
}

// shell is a command that runs lines of bash.
func shell(lines string) Command {
	bash, err := exec.LookPath("bash")
	if err != nil {
		panic(err)
	}
	return Command{Path: bash, Args: []string{"-c", lines}, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

// file writes a file with the given permissions and returns its path.
func file(t testing.TB, name, contents string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(contents), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// outputOf runs a command that must succeed and returns what it wrote to stdout.
func outputOf(t *testing.T, c Command) string {
	t.Helper()
	is := is.New(t)
	is.Helper()
	var out bytes.Buffer
	c.Stdout = &out
	res, err := runner.Run(t.Context(), c)
	is.NoErr(err)             // the command ran
	is.Equal(res.ExitCode, 0) // and succeeded
	return out.String()
}

// exists reports whether there is a process, dead or alive.
func exists(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// pidFile waits for a process to write its id to a file, and returns the id.
func pidFile(t *testing.T, path string) (pid int) {
	t.Helper()
	waittest.Until(t, path+" is written", func() bool {
		b, _ := os.ReadFile(path)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid > 0 && strings.HasSuffix(string(b), "\n")
	})
	return pid
}

// signals is a writer that signals when a line has come.
type signals struct {
	bytes.Buffer
	ready chan struct{}
}

func newSignals() *signals { return &signals{ready: make(chan struct{})} }

func (s *signals) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	if strings.Contains(s.String(), "ready\n") {
		select {
		case <-s.ready:
		default:
			close(s.ready)
		}
	}
	return n, err
}
