//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// background starts a command and returns where its outcome comes.
func background(r *Runner, ctx context.Context, c Command) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, c)
		ended <- err
	}()
	return ended
}

// soon is a bound for what ends at once, on a machine that has much else to do.
const soon = time.Minute

func TestCloseEndsWhatStillRunsAndStartsNothingMore(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()} // a process can have one that adopts
	dir := t.TempDir()
	var ended []<-chan error
	var pids []int
	for name, lines := range map[string]string{
		"polite":   "echo $$ >polite; exec sleep 77",
		"stubborn": "trap '' TERM; echo $$ >stubborn; while :; do sleep 0.02; done",
		"parent":   "(trap '' TERM; echo $BASHPID >parent; while :; do sleep 0.02; done) & wait",
	} {
		c := shell(lines)
		c.Dir, c.Grace = dir, time.Hour
		ended = append(ended, background(&r, t.Context(), c))
		pids = append(pids, pidFile(t, filepath.Join(dir, name)))
	}
	is.NoErr(r.Close(100 * time.Millisecond))
	for _, pid := range pids {
		is.True(!exists(pid)) // gone when Close returns
	}
	for _, e := range ended {
		is.Equal(<-e, ErrClosed)
	}
	path := filepath.Join(dir, "started")
	res, err := r.Run(t.Context(), shell("touch "+path))
	is.Equal(err, ErrClosed)
	is.Equal(res.ExitCode, -1)
	_, err = os.Stat(path)
	is.True(errors.Is(err, os.ErrNotExist))
	is.NoErr(r.Close(0)) // once more
}

func TestACommandHasTheGraceOfCloseToEndInOrder(t *testing.T) {
	is := is.New(t)
	var r Runner
	c := shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.02; done")
	out := newSignals()
	c.Stdout, c.Grace = out, time.Hour
	ended := background(&r, t.Context(), c)
	<-out.ready
	is.NoErr(r.Close(time.Minute))
	is.Equal(<-ended, ErrClosed)
	is.Equal(out.String(), "ready\nbye\n")
}

func TestCloseShortensTheGraceOfWhatIsCancelled(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	dir := t.TempDir()
	c := shell("trap 'echo asked >asked' TERM; echo $$ >pid; while :; do sleep 0.02; done")
	c.Dir, c.Grace = dir, time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := background(&r, ctx, c)
	pid := pidFile(t, filepath.Join(dir, "pid"))
	cancel(errEnough)
	waittest.Until(t, "it was asked", func() bool { _, err := os.Stat(filepath.Join(dir, "asked")); return err == nil })
	began := time.Now()
	is.NoErr(r.Close(10 * time.Millisecond))
	is.True(time.Since(began) < soon)
	is.True(!exists(pid))
	is.Equal(<-ended, errEnough)
}

func TestCloseDoesNotWaitForWhatACommandLeftBehind(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	dir := t.TempDir()
	c := shell("(trap '' TERM; echo $BASHPID >pid; while :; do sleep 0.02; done) & echo $! >/dev/null; wait")
	c.Dir, c.Grace = dir, time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := background(&r, ctx, c)
	pid := pidFile(t, filepath.Join(dir, "pid"))
	cancel(errEnough) // bash ends, its child stays for the grace
	is.NoErr(r.Close(10 * time.Millisecond))
	is.True(!exists(pid))
	is.Equal(<-ended, errEnough)
}

func TestCloseOfAnIdleRunnerReturnsAtOnce(t *testing.T) {
	is := is.New(t)
	var r Runner
	is.NoErr(r.Close(time.Hour))
}

func TestCloseFindsWhatLeftTheGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lets the server find a process that has left its group")
	}
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	dir := t.TempDir()
	c := shell("setsid bash -c \"trap '' TERM; echo \\$\\$ >pid; while :; do sleep 0.02; done\" & disown; trap '' TERM; while :; do sleep 0.02; done")
	c.Dir, c.Grace = dir, time.Hour
	ended := background(&r, t.Context(), c)
	pid := pidFile(t, filepath.Join(dir, "pid"))
	is.NoErr(r.Close(50 * time.Millisecond))
	is.True(!exists(pid))
	is.Equal(<-ended, ErrClosed)
}
