//go:build unix

package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestTheExitCodeIsWhatAShellWouldSay(t *testing.T) {
	for _, tt := range []struct {
		lines, signal string
		code          int
	}{
		{"true", "", 0},
		{"exit 3", "", 3},
		{"exit 255", "", 255},
		{"no-such-command", "", 127},
		{"kill -TERM $$", "SIGTERM", 143},
		{"kill -KILL $$", "SIGKILL", 137},
	} {
		t.Run(tt.lines, func(t *testing.T) {
			is := is.New(t)
			res, err := runner.Run(t.Context(), shell(tt.lines))
			is.NoErr(err)                   // a failure is a result
			is.Equal(res.ExitCode, tt.code) // 128+n for a signal
			is.Equal(res.Signal, tt.signal) // by name
			is.True(res.Took > 0)           // time was measured
			is.Equal(len(res.Left), 0)      // nothing is left
		})
	}
}

func TestStdinIsEmptyUnlessGiven(t *testing.T) {
	is := is.New(t)
	is.Equal(outputOf(t, shell("cat; echo end")), "end\n") // cat ends at once

	c := shell("cat; echo end")
	c.Stdin = strings.NewReader("a line\n")
	is.Equal(outputOf(t, c), "a line\nend\n") // a reader is copied

	f, err := os.Open(file(t, "in", "from a file\n", 0o600))
	is.NoErr(err)
	defer f.Close()
	c.Stdin = f
	is.Equal(outputOf(t, c), "from a file\nend\n") // a file is handed over
}

func TestACommandNeedNotReadItsStdin(t *testing.T) {
	is := is.New(t)
	c := shell("read -r line; echo $line")
	c.Stdin = io.MultiReader(strings.NewReader("first\n"), endless{})
	is.Equal(outputOf(t, c), "first\n") // the rest is dropped

	r, w := io.Pipe() // never written to
	defer w.Close()
	c = shell("echo done")
	c.Stdin = r
	is.Equal(outputOf(t, c), "done\n") // nobody waits for the reader
}

// endless is a reader without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestEnvironmentAndFolderAreThoseGiven(t *testing.T) {
	is := is.New(t)
	t.Setenv("SCRIPT_TEST_SECRET", "of the server")
	env, err := exec.LookPath("env")
	is.NoErr(err)
	unmarked := func(s string) string {
		var kept []string
		for _, line := range strings.Split(s, "\n") {
			if !strings.HasPrefix(line, "MCPBASH_RUN_ID=") {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "\n")
	}
	is.Equal(unmarked(outputOf(t, Command{Path: env, Env: []string{"A=1", "MCPBASH_RUN_ID=other", "B=x y"}})), "A=1\nB=x y\n")
	is.Equal(unmarked(outputOf(t, Command{Path: env})), "") // nil is empty, not the server's

	dir, err := filepath.EvalSymlinks(t.TempDir())
	is.NoErr(err)
	c := shell("pwd -P")
	c.Dir = dir
	is.Equal(outputOf(t, c), dir+"\n")
}

func TestARelativePathIsSeenFromTheFolder(t *testing.T) {
	is := is.New(t)
	path := file(t, "here.sh", "#!/bin/sh\necho \"$0 $*\"\n", 0o755)
	c := Command{Path: "./here.sh", Dir: filepath.Dir(path), Args: []string{"a", "b c", ""}}
	is.Equal(outputOf(t, c), "./here.sh a b c \n")
}

func TestWhatACommandNeedsIsPutInPlaceBeforeIt(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "late.sh")
	r := Runner{Before: func() { is.NoErr(os.WriteFile(path, []byte("#!/bin/sh\nrm \"$0\"\n"), 0o755)) },
		adoption: sharedAdoption()}
	for range 2 { // before each start
		_, err := r.Run(t.Context(), Command{Path: path, Env: []string{"PATH=/bin:/usr/bin"}})
		is.NoErr(err)
	}
}

func TestExtraFilesBecomeDescriptors(t *testing.T) {
	is := is.New(t)
	r, w, err := os.Pipe()
	is.NoErr(err)
	defer r.Close()
	c := shell("echo three >&3")
	c.ExtraFiles = []*os.File{w}
	outputOf(t, c)
	is.NoErr(w.Close()) // it is still ours
	got, err := io.ReadAll(r)
	is.NoErr(err)
	is.Equal(string(got), "three\n")
}

func TestOutputBeforeTheEndIsComplete(t *testing.T) {
	is := is.New(t)
	for i := range 200 {
		c := shell(fmt.Sprintf("printf '%%05000d' %d; echo last >&2", i))
		var errs bytes.Buffer
		c.Stderr = &errs
		is.Equal(outputOf(t, c), fmt.Sprintf("%05000d", i)) // stdout
		is.Equal(errs.String(), "last\n")                   // stderr
	}
}

func TestALongOutputIsCountedAndCut(t *testing.T) {
	is := is.New(t)
	const size = 8 << 20
	c := shell(fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x; head -c %d /dev/zero | tr '\\0' y >&2", size, size))
	head, tail := Head{Limit: 1 << 20}, Tail{Limit: 4096}
	c.Stdout, c.Stderr = &head, &tail
	res, err := runner.Run(t.Context(), c)
	is.NoErr(err)
	is.Equal(res.ExitCode, 0)                         // it was not blocked
	is.Equal(head.Total(), int64(size))               // all was counted
	is.Equal(head.Text(), strings.Repeat("x", 1<<20)) // the first part was kept
	is.True(cap(head.Bytes()) <= 1<<20)               // and no more memory used
	is.Equal(tail.Total(), int64(size))               // the same for stderr
	is.Equal(tail.Text(), strings.Repeat("y", 4096))  // of which the end was kept
}

func TestOneWriterForBothStreamsKeepsTheirOrder(t *testing.T) {
	is := is.New(t)
	c := shell("for i in 1 2 3; do echo out; echo err >&2; done")
	var both bytes.Buffer
	c.Stdout, c.Stderr = &both, &both
	res, err := runner.Run(t.Context(), c)
	is.NoErr(err)
	is.Equal(res.ExitCode, 0)
	is.Equal(both.String(), strings.Repeat("out\nerr\n", 3))
}

func TestWritersThatCannotBeComparedAreTwo(t *testing.T) {
	is := is.New(t)
	c := shell("echo out; echo err >&2")
	c.Stdout, c.Stderr = discard{}, discard{}
	_, err := runner.Run(t.Context(), c)
	is.NoErr(err) // no panic
}

// discard is a writer of a type that == panics on.
type discard []byte

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestACommandMayCloseItsOutput(t *testing.T) {
	is := is.New(t)
	c := shell("echo first; exec >&-; echo second >&2; exit 4")
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	res, err := runner.Run(t.Context(), c)
	is.NoErr(err)
	is.Equal(res.ExitCode, 4) // it ran to its end
	is.Equal(out.String()+errs.String(), "first\nsecond\n")
}

func TestAnOutputMayBeAFile(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	is.NoErr(err)
	c := shell("[ -f /dev/stdout ] && echo a file")
	c.Stdout = f
	res, err := runner.Run(t.Context(), c)
	is.NoErr(err)
	is.NoErr(f.Close())
	got, err := os.ReadFile(path)
	is.NoErr(err)
	is.Equal(fmt.Sprint(res.ExitCode, string(got)), "0a file\n") // no pipe between
}

func TestAFailingWriterDoesNotBlockTheCommand(t *testing.T) {
	is := is.New(t)
	full := errors.New("full")
	c := shell("head -c 1000000 /dev/zero; exit 5")
	c.Stdout = failing{full}
	res, err := runner.Run(t.Context(), c)
	is.Equal(res.ExitCode, 5)     // it ran to its end
	is.True(errors.Is(err, full)) // and the error was not lost
	is.True(strings.Contains(err.Error(), "write stdout"))
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWhatIsInThePipeIsReadAlthoughSomebodyHoldsIt(t *testing.T) {
	is := is.New(t)
	var got bytes.Buffer
	s, err := runner.connect(Command{Stdout: &got})
	is.NoErr(err)
	defer s.closeChildEnds() // open until the end
	_, err = s.files[1].WriteString(strings.Repeat("z", 60000))
	is.NoErr(err)
	is.True(s.copyUntilEnd(ended{}) == nil)
	is.NoErr(s.drain(false))
	is.Equal(got.String(), strings.Repeat("z", 60000))
}

func TestWhatACommandWritesToAPipeOfTheCallerIsHeard(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "fifo")
	is.NoErr(syscall.Mkfifo(path, 0o600))
	fifo, err := os.OpenFile(path, os.O_RDWR, 0)
	is.NoErr(err)
	defer fifo.Close()
	heard := newSignals()
	c := shell(`echo ready >"$0"; read -r go <&3; echo last >"$0"`)
	c.Args = append(c.Args, path)
	ours, theirs, err := os.Pipe()
	is.NoErr(err)
	defer ours.Close()
	c.ExtraFiles, c.Copies = []*os.File{ours}, []Copy{{fifo, heard}}
	go func() {
		<-heard.ready // while it runs
		theirs.Close()
	}()
	for range 2 { // one call after the other
		heard.Reset()
		_, err = runner.Run(t.Context(), c)
		is.NoErr(err)
		is.Equal(heard.String(), "ready\nlast\n")
	}
}

// ended is a family that has ended, of which the system knows nothing any more.
type ended struct{ family }

func (ended) wait()                {}
func (ended) process() *os.Process { return new(os.Process) }
func (ended) complete() bool       { return true }

func TestTheUmaskIsInherited(t *testing.T) {
	is := is.New(t)
	SetUmask(0o077)
	defer SetUmask(0o022)
	is.Equal(outputOf(t, shell("umask")), "0077\n")
}
