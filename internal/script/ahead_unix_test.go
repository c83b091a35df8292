//go:build unix

package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"
)

// standby is a runner with a shell that waits for a script which prints its process id and X, and to stderr how
// many files it may open.
func standby(t *testing.T, r *Runner) (*Standby, Command, *Head) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, so no shell can be started ahead: ", err)
	}
	dir := t.TempDir()
	path, boot := filepath.Join(dir, "tool"), filepath.Join(dir, "boot")
	for file, text := range map[string]string{
		path: "#!/usr/bin/env bash\necho $$ \"$X\"; ulimit -n >&2",
		boot: "unset BASH_ENV; printf .; . /dev/fd/48; exec 48<&-; [[ -n ${_mcp_go-} ]] || exit 0; unset _mcp_go",
	} {
		if err := os.WriteFile(file, []byte(text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	out := &Head{Limit: 1 << 10}
	c := Command{Path: path, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "X=it's \"$y\"\n"}, Stdout: out, Stderr: &Head{Limit: 1 << 10}, ExtraFiles: make([]*os.File, ControlFD)}
	s, err := r.StartAhead(c, []string{"BASH_ENV=" + boot}, func(name string) bool { return name == "X" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(); err != nil {
		t.Fatal(err)
	}
	c.Ahead = s
	t.Cleanup(s.Dismiss)
	return s, c, out
}

func TestACommandRunsInTheShellThatWaitsForIt(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	s, c, out := standby(t, &r)
	pid := s.family.process().Pid
	_, err := r.Run(t.Context(), c)
	is.NoErr(err)
	is.Equal(out.Text(), strconv.Itoa(pid)+" it's \"$y\"\n\n")
	_, err = r.Run(t.Context(), c) // once more, with the same
	is.NoErr(err)
	is.Equal(strings.Count(out.Text(), "it's"), 2)
	is.Equal(strings.Count(out.Text(), strconv.Itoa(pid)+" "), 1) // it ran one
}

func TestACommandStartsAsAlwaysWhereTheShellWasKilled(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	s, c, out := standby(t, &r)
	pid := s.family.process().Pid
	is.NoErr(unix.Kill(pid, unix.SIGKILL))
	s.family.wait()
	_, err := r.Run(t.Context(), c)
	is.NoErr(err)
	is.True(strings.HasSuffix(out.Text(), " it's \"$y\"\n\n"))
	is.True(!strings.HasPrefix(out.Text(), strconv.Itoa(pid)+" ")) // another
}

func TestAShellThatWaitsEndsWhenTheServerIsGone(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	s, _, _ := standby(t, &r)
	is.NoErr(s.control.Close()) // as the system does it
	s.family.wait()
}

func TestDismissingAShellEndsItAndCallsDropped(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	s, _, _ := standby(t, &r)
	dropped := make(chan bool)
	s.dropped = func() { close(dropped) }
	s.Dismiss()
	s.Dismiss()
	<-dropped
	is.Equal(unix.Kill(s.family.process().Pid, 0), unix.ESRCH)
}
