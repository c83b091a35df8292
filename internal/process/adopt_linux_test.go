package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// adopts reports whether all descendants of a command are found.
func adopts() bool { return runner.reaper != nil }

// adoptsAll reports whether processes are found that cannot be attributed to a command.
func adoptsAll() bool { return adopts() && runner.reaper.sole }

// sharedAdoption is that of runner: a process can have one Runner that adopts.
func sharedAdoption() adoption { return adoption{reaper: runner.reaper} }

// living reports whether there is a process that is not dead.
func living(pid int) bool {
	p, ok := readProcess(pid)
	return ok && !p.zombie()
}

// rested waits until the reaper of runner looks at no process until the next command starts.
func rested(t *testing.T) {
	t.Helper()
	r := runner.reaper
	waittest.Until(t, "the reaper rests", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return !r.ticking
	})
}

// withoutAdoption makes the test run as on a system that has no such thing.
func withoutAdoption(t *testing.T) {
	t.Helper()
	rested(t)
	r := runner.reaper
	adopt := func(yes uintptr) {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, yes, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	adopt(0)
	runner.reaper = nil
	t.Cleanup(func() {
		adopt(1)
		runner.reaper = r
	})
}

func TestWithoutAdoption(t *testing.T) {
	withoutAdoption(t)
	t.Run("end", TestNothingIsLeftAfterTheEnd)
	t.Run("cancellation", TestNothingIsLeftAfterCancellation)
	t.Run("kill", TestNothingIsLeftAfterAKill)
	t.Run("many", TestManyRunsLeaveEachOtherAlone)
	t.Run("holder", TestABackgroundProcessThatHoldsTheOutputIsNotWaitedFor)
	t.Run("writer", TestABackgroundProcessThatWritesForEverIsNotWaitedFor)
	t.Run("filter", TestAFilterOfTheOutputMayFinish)
	t.Run("exit codes", TestTheExitCodeIsWhatAShellWouldSay)
	t.Run("complete", TestOutputBeforeTheEndIsComplete)
	t.Run("trap", TestACancelledCommandMayEndInOrder)
	t.Run("no trap", TestACommandThatIgnoresTermIsKilled)
	t.Run("grace", TestAChildOfACancelledCommandHasTheGraceToo)
}

func TestASetsidProcessThatHoldsTheOutputIsNotWaitedForEither(t *testing.T) {
	is := is.New(t)
	withoutAdoption(t) // so that it is lost
	pid := t.TempDir() + "/pid"
	c := shell("(setsid sh -c 'echo $$ > " + pid + "; exec sleep 1000' &); printf %050000d 1; while ! [ -s " + pid + " ]; do sleep 0.01; done; echo done")
	began := time.Now()
	is.Equal(outputOf(t, c), fmt.Sprintf("%050000d", 1)+"done\n")
	is.True(time.Since(began) < soon)
	is.NoErr(syscall.Kill(pidFile(t, pid), syscall.SIGKILL)) // it is nobody's now
}

func TestOneRunnerAdopts(t *testing.T) {
	is := is.New(t)
	var other Runner
	err := other.Adopt()
	is.True(err != nil && strings.Contains(err.Error(), "use one Runner"))
}

func TestACommandIsKnownToBeGoneOnlyWhereItsOrphansAreAdopted(t *testing.T) {
	is := is.New(t)
	gone := func(lines string) bool {
		res, err := runner.Run(t.Context(), shell(lines))
		is.NoErr(err)
		return res.Gone
	}
	waittest.Until(t, "no orphan of another test is left", func() bool { return gone("(setsid sleep 1000 &)") })
	withoutAdoption(t)
	is.True(!gone(":"))
}

func TestTheGraceIsForThoseWhoLeftTheGroupToo(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	c := shell(`(setsid bash -c 'trap "echo asked; echo > $DIR/asked; exit" TERM; echo ready; while :; do sleep 0.02; done' &); sleep 1000`)
	c.Env = append(c.Env, "DIR="+dir)
	c.Grace = time.Minute
	_, out, err := runUntilReady(t, c)
	is.Equal(err, errEnough)
	is.Equal(out, "ready\nasked\n")
	_, err = os.Stat(dir + "/asked")
	is.NoErr(err)
}

func TestAnAnonymousDaemonIsSparedWhileItMayBeAnothers(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.WriteFile(dir+"/wait", nil, 0o600))
	ended := make(chan string)
	go func() {
		c := shell(`(env -i DIR=$DIR setsid sh -c 'echo $$ > $DIR/pid; exec sleep 1000' &); while [ -e $DIR/wait ]; do sleep 0.01; done; kill -0 $(cat $DIR/pid) && echo alive`)
		c.Env = append(c.Env, "DIR="+dir)
		var out bytes.Buffer
		c.Stdout = &out
		res, err := runner.Run(t.Context(), c)
		ended <- fmt.Sprint(out.String(), res.ExitCode, err)
	}()
	pid := pidFile(t, dir+"/pid")
	for range 5 {
		outputOf(t, shell("(sleep 1000 &)")) // ends, looks around, and cleans up after itself
	}
	is.True(exists(pid))
	is.NoErr(os.Remove(dir + "/wait"))
	is.Equal(<-ended, "alive\n0 <nil>") // it lived until its own run ended
	is.Equal(exists(pid), !adoptsAll()) // and no longer
}

func TestDeadOrphansArePutAwayWhileTheirCommandRuns(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.WriteFile(dir+"/wait", nil, 0o600))
	ended := make(chan error)
	go func() {
		c := shell(`for i in $(seq 100); do (true & echo $! > $DIR/pid); done; while [ -e $DIR/wait ]; do sleep 0.01; done`)
		c.Env = append(c.Env, "DIR="+dir)
		_, err := runner.Run(t.Context(), c)
		ended <- err
	}()
	pidFile(t, dir+"/pid")
	waittest.Until(t, "there are no zombies", func() bool { return len(zombies()) == 0 })
	is.NoErr(os.Remove(dir + "/wait"))
	is.NoErr(<-ended)
}

// zombies returns our dead children.
func zombies() (pids []int) {
	for _, p := range allProcesses() {
		if p.parent == os.Getpid() && p.zombie() {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

func TestAnOrphanThatCannotBeEndedIsNotWaitedForAgain(t *testing.T) {
	is := is.New(t)
	r, path := runner.reaper, t.TempDir()+"/pid"
	c := shell("(setsid sh -c 'echo $$ > " + path + "; exec sleep 1000' &); echo ready; sleep 1000")
	c.Grace = -1
	out := newSignals()
	c.Stdout = out
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := make(chan Result)
	go func() {
		res, _ := runner.Run(ctx, c)
		ended <- res
	}()
	<-out.ready
	pid := pidFile(t, path)
	r.mu.Lock()
	r.lost[pid] = true // as if an earlier run had given it up
	r.mu.Unlock()
	cancel(errEnough)
	is.Equal(len((<-ended).Left), 0) // it is nobody's
	is.True(living(pid))             // and left alone
	is.NoErr(syscall.Kill(pid, syscall.SIGKILL))
	waittest.Until(t, "it is reaped and forgotten", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return !exists(pid) && len(r.lost) == 0
	})
}

func TestNoDescriptorsAreLeftOpen(t *testing.T) {
	is := is.New(t)
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		is.NoErr(err)
		return len(names)
	}
	all := func() {
		c := shell("cat; echo err >&2; (sleep 1000 &)")
		c.Stdin = strings.NewReader("in")
		c.Stderr = &Tail{Limit: 10}
		outputOf(t, c)
		c.Path = "/no/such/thing"
		_, err := runner.Run(t.Context(), c)
		is.True(err != nil)
		c = shell("echo ready; sleep 1000")
		_, _, err = runUntilReady(t, c)
		is.Equal(err, errEnough)
	}
	all() // opens what stays open
	before := count()
	for range 8 {
		all()
	}
	is.Equal(count(), before)
}

func TestNoZombiesAreLeft(t *testing.T) {
	is := is.New(t)
	outputOf(t, shell("for i in $(seq 50); do (true &); (sleep 1000 &); done"))
	is.Equal(len(zombies()), 0)
}

func TestChildrenOfOtherCodeAreLeftAlone(t *testing.T) {
	is := is.New(t)
	other := exec.Command("sleep", "1000")
	is.NoErr(other.Start())
	dead := exec.Command("true")
	is.NoErr(dead.Start())
	waittest.Until(t, "it has ended", func() bool {
		p, _ := readProcess(dead.Process.Pid)
		return p.zombie()
	})
	for range 8 {
		outputOf(t, shell("(setsid sleep 1000 &)"))
	}
	is.NoErr(dead.Wait())                             // its end is still there to be waited for
	is.NoErr(other.Process.Signal(syscall.Signal(0))) // it lives
	is.NoErr(other.Process.Kill())
	is.True(strings.Contains(other.Wait().Error(), "killed"))
}

func TestWithoutAListOfChildrenAllProcessesAreSearched(t *testing.T) {
	is := is.New(t)
	r := runner.reaper
	swap := func(f *os.File) (old *os.File) {
		r.mu.Lock()
		defer r.mu.Unlock()
		old, r.children.file = r.children.file, f
		return old
	}
	defer swap(swap(nil))
	lines, files := familyScript(t)
	is.Equal(outputOf(t, shell(lines+"echo done")), "done\n")
	gone(t, files)
}

func TestTheListOfChildrenIsReadInParts(t *testing.T) {
	is := is.New(t)
	// Orphans are handed to our first thread, like all that are in the list.
	c := shell("for i in $(seq 100); do (sleep 1000 &); done; echo ready; sleep 1000")
	c.Grace = -1
	out := newSignals()
	c.Stdout = out
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := make(chan error)
	go func() {
		_, err := runner.Run(ctx, c)
		ended <- err
	}()
	<-out.ready
	list := openChildren()
	defer list.file.Close()
	var orphans int
	for _, pid := range list.list() {
		p, ok := readProcess(pid)
		is.True(ok)                       // a number, not a part of one
		is.Equal(p.parent, unix.Getpid()) // of a child
		orphans++
	}
	is.True(orphans >= 100)
	cancel(errEnough)
	is.Equal(<-ended, errEnough)
}

func TestAStatLineMayHoldAnyName(t *testing.T) {
	is := is.New(t)
	const line = "42 (a) R 1 (b) S 7 8 9 0 -1 4194304 1 0 0 0 30 12 0 0 20 0 1 0 98765 1 2 3"
	p, ok := parseStat(42, []byte(line))
	is.True(ok)
	is.Equal(p, process{pid: 42, parent: 7, group: 8, state: 'S', used: 420 * time.Millisecond, start: 98765})

	_, ok = parseStat(42, []byte("42 (cut) S 7 8"))
	is.True(!ok)
	_, ok = parseStat(42, nil)
	is.True(!ok)
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (a) R 1 (b) S 7 8 9 0 -1 4194304 1 0 0 0 30 12 0 0 20 0 1 0 98765 1 2 3"))
	f.Add([]byte(") "))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, line []byte) {
		if _, ok := parseStat(1, line); ok && len(line) < 40 {
			t.Errorf("too short to be true: %q", line)
		}
	})
}

func TestAClosedRunnerLeavesTheChildrenOfItsProcessAlone(t *testing.T) {
	is := is.New(t)
	rested(t) // the Runner of the other tests is not closed
	k, err := newReaper()
	is.NoErr(err)
	k.sole = true
	k.ended = true
	other := exec.Command("sleep", "300") // as a terminal starts it: in a session of its own
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	is.NoErr(other.Start())
	k.tick()
	is.NoErr(other.Process.Signal(syscall.SIGTERM))
	is.True(other.Wait() != nil)
	is.Equal(other.ProcessState.String(), "signal: terminated") // not killed before
}
