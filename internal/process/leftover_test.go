//go:build unix

package process

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// relatives are the ways in which a script can leave processes behind. Each writes its id
// to $DIR/NAME and stays for long.
var relatives = []struct {
	name, lines string
	leaves      bool // it leaves the group of the command
}{
	{"child", `sleep 1000 & echo $! > $DIR/child`, false},
	{"grandchild", `(sleep 1000 & echo $! > $DIR/grandchild; sleep 1000) &`, false},
	{"deaf", `(trap '' TERM; exec sh -c 'echo $$ > $DIR/deaf; exec sleep 1000') &`, false},
	{"nohup", `nohup sleep 1000 > /dev/null 2>&1 & echo $! > $DIR/nohup`, false},
	{"orphan", `(sleep 1000 & echo $! > $DIR/orphan)`, false},
	{"job", `(set -m; sleep 1000 & echo $! > $DIR/job)`, true},
	{"session", `setsid sh -c 'echo $$ > $DIR/session; exec sleep 1000' &`, true},
	{"daemon", `(setsid sh -c 'cd /; sh -c "echo \$\$ > $DIR/daemon; exec sleep 1000" <&- >&- 2>&- &' &)`, true},
	{"deafdaemon", `(setsid bash -c 'trap "" TERM; echo $$ > $DIR/deafdaemon; exec sleep 1000' &)`, true},
	{"brood", `(setsid bash -c 'setsid sleep 1000 & echo $$ > $DIR/brood; wait' &)`, true},
	{"anonymous", `(env -i DIR=$DIR setsid sh -c 'echo $$ > $DIR/anonymous; exec sleep 1000' &)`, true},
}

// familyScript returns a script that leaves relatives behind, those that the system lets us
// find, and the files with their ids. Without names it leaves all.
func familyScript(t *testing.T, names ...string) (lines string, files []string) {
	dir := t.TempDir()
	lines = "export DIR='" + dir + "'\n"
	for _, r := range relatives {
		if r.leaves && !adopts() || r.name == "anonymous" && !adoptsAll() || len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		lines += r.lines + "\n"
		files = append(files, dir+"/"+r.name)
	}
	lines += "for f in " + strings.Join(files, " ") + "; do while ! [ -s $f ]; do sleep 0.05; done; done\n"
	return lines, files
}

// gone fails the test unless the processes are gone without a trace. Where they are the first
// process's to reap, they are dead soon.
func gone(t *testing.T, files []string) {
	t.Helper()
	is := is.New(t)
	is.Helper()
	for _, f := range files {
		pid := pidFile(t, f)
		if adopts() {
			is.True(!exists(pid)) // already
		} else {
			waittest.Until(t, f+" is gone", func() bool { return !living(pid) })
		}
	}
}

func TestNothingIsLeftAfterTheEnd(t *testing.T) {
	is := is.New(t)
	lines, files := familyScript(t)
	began := time.Now()
	out := outputOf(t, shell(lines+"echo done"))
	is.Equal(out, "done\n") // a success
	is.True(time.Since(began) < soon)
	gone(t, files)
}

func TestNothingIsLeftAfterCancellation(t *testing.T) {
	is := is.New(t)
	lines, files := familyScript(t)
	c := shell(lines + "echo ready; wait; sleep 1000")
	c.Grace = 200 * time.Millisecond
	_, _, err := runUntilReady(t, c)
	is.Equal(err, errEnough)
	gone(t, files)
}

func TestNothingIsLeftAfterAKill(t *testing.T) {
	is := is.New(t)
	lines, files := familyScript(t)
	c := shell(lines + "trap '' TERM; echo ready; while :; do sleep 0.05; done")
	c.Grace = 200 * time.Millisecond
	res, _, err := runUntilReady(t, c)
	is.Equal(err, errEnough)
	is.Equal(res.Signal, "SIGKILL")
	gone(t, files)
}

func TestABackgroundProcessThatHoldsTheOutputIsNotWaitedFor(t *testing.T) {
	is := is.New(t)
	began := time.Now()
	is.Equal(outputOf(t, shell("sleep 1000 & echo done")), "done\n")
	is.True(time.Since(began) < soon)
}

func TestABackgroundProcessThatWritesForEverIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	c := shell("yes & sleep 0.05; echo err >&2; exit 3")
	head, tail := Head{Limit: 10}, Tail{Limit: 10}
	c.Stdout, c.Stderr = &head, &tail
	res, err := runner.Run(t.Context(), c)
	is.NoErr(err)
	is.Equal(res.ExitCode, 3)
	is.Equal(head.Text()+tail.Text(), "y\ny\ny\ny\ny\nerr\n")
}

func TestAFilterOfTheOutputMayFinish(t *testing.T) {
	is := is.New(t)
	want := strings.Repeat("a line\n", 2000)
	for range 10 {
		log := t.TempDir() + "/log"
		c := shell("exec > >(tee '" + log + "'); for ((i = 0; i < 2000; i++)); do echo a line; done")
		is.Equal(outputOf(t, c), want) // the script does not wait for its tee
		got, err := os.ReadFile(log)
		is.NoErr(err)
		is.Equal(string(got), want)
	}
}

func TestManyRunsLeaveEachOtherAlone(t *testing.T) {
	is := is.New(t)
	const n = 24
	var files [n][]string
	var failures [n]string
	var all sync.WaitGroup
	for i := range n {
		lines, f := familyScript(t, "child", "orphan", "session", "daemon")
		files[i] = f
		all.Go(func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			out := newSignals()
			// A process of another run that is killed too early breaks its "kill -0".
			c := shell(lines + fmt.Sprintf("sleep 0.%02d; for f in $DIR/*; do kill -0 $(cat $f) || echo lost $f; done; echo ready", i))
			if i%3 == 0 { // every third is cancelled
				c.Args[1] += "; sleep 1000"
				go func() { <-out.ready; cancel(errEnough) }()
			}
			c.Stdout, c.Grace = out, 2*soon // all of them end by TERM, so nobody is waited for
			began := time.Now()
			res, err := runner.Run(ctx, c)
			failures[i] = fmt.Sprint(out.String(), res.ExitCode, err, time.Since(began) < soon)
		})
	}
	all.Wait()
	for i := range n {
		want := "ready\n0 <nil> true"
		if i%3 == 0 {
			want = "ready\n143 enough true"
		}
		is.Equal(failures[i], want) // nobody lost a process before its end
		gone(t, files[i])           // and nothing is left
	}
}
