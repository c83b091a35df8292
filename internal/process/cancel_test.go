//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

var errEnough = errors.New("enough")

// runUntilReady runs a command and cancels it when it has written the line "ready".
func runUntilReady(t *testing.T, c Command) (Result, string, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	out := newSignals()
	c.Stdout = out
	go func() {
		select {
		case <-out.ready:
			cancel(errEnough)
		case <-ctx.Done():
		}
	}()
	res, err := runner.Run(ctx, c)
	return res, out.String(), err
}

func TestACancelledCommandMayEndInOrder(t *testing.T) {
	is := is.New(t)
	c := shell("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.02; done")
	c.Grace = time.Minute
	res, out, err := runUntilReady(t, c)
	is.Equal(err, errEnough)      // the cause
	is.Equal(out, "ready\nbye\n") // the trap had its chance
	is.Equal(res.ExitCode, 7)     // and chose the code
}

func TestACommandThatIgnoresTermIsKilled(t *testing.T) {
	is := is.New(t)
	c := shell("trap '' TERM; echo ready; while :; do sleep 0.02; done")
	c.Grace = 50 * time.Millisecond
	res, _, err := runUntilReady(t, c)
	is.Equal(err, errEnough)
	is.Equal(res.Signal, "SIGKILL")
	is.Equal(res.ExitCode, 137)
	is.True(res.Took >= c.Grace) // not before
}

func TestANegativeGraceKillsAtOnce(t *testing.T) {
	is := is.New(t)
	c := shell("trap 'echo trapped' TERM; echo ready; while :; do sleep 0.02; done")
	c.Grace = -1
	res, out, err := runUntilReady(t, c)
	is.Equal(err, errEnough)
	is.Equal(res.Signal, "SIGKILL")
	is.Equal(out, "ready\n") // it was not asked
}

func TestAStoppedCommandIsWokenToEnd(t *testing.T) {
	is := is.New(t)
	c := shell("echo ready; kill -STOP $$")
	c.Grace = time.Minute
	res, _, err := runUntilReady(t, c)
	is.Equal(err, errEnough)
	is.Equal(res.Signal, "SIGTERM")
}

func TestATimeoutSaysItsCause(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errEnough)
	defer cancel()
	_, err := runner.Run(ctx, shell("exec sleep 1000"))
	is.Equal(err, errEnough) // also where a slow machine has not started it by then
}

func TestNothingStartsWhenItIsTooLate(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnough)
	path := t.TempDir() + "/started"
	res, err := runner.Run(ctx, shell("touch "+path))
	is.Equal(err, errEnough)
	is.Equal(res.ExitCode, -1)
	_, err = os.Stat(path)
	is.True(errors.Is(err, os.ErrNotExist))
}

func TestAChildOfACancelledCommandHasTheGraceToo(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	c := shell(`(trap "sleep 0.2; echo saved > '` + dir + `/saved'; exit" TERM; echo ready; while :; do sleep 0.02; done) & wait`)
	c.Grace = time.Minute
	_, _, err := runUntilReady(t, c)
	is.Equal(err, errEnough)
	saved, err := os.ReadFile(dir + "/saved")
	is.NoErr(err)
	is.Equal(strings.TrimSpace(string(saved)), "saved") // although its parent ended at once
}

// unkillable is a family that hangs in the kernel.
type unkillable struct {
	family
	asked, killed atomic.Bool
}

func (u *unkillable) ask()  { u.asked.Store(true) }
func (u *unkillable) kill() { u.killed.Store(true) }

// cancelled is a context that is done, for errEnough.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnough)
	return ctx
}

func TestRunDoesNotWaitForWhatCannotBeKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		began := time.Now()
		var u unkillable
		givenUp := make(chan struct{})
		s := stop{ctx: cancelled(t), family: &u, giveUp: func() { close(givenUp) }}
		s.requestEnd(time.Time{})
		is.True(u.asked.Load())
		is.True(!u.killed.Load())
		<-givenUp
		is.True(u.killed.Load())
		is.Equal(time.Since(began), DefaultGrace+stuck)
		until, cause := s.over()
		is.Equal(cause, errEnough)
		is.Equal(until.Sub(began), DefaultGrace)
	})
}

func TestACloseShortensTheGraceOfWhatWasCancelledAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		began := time.Now()
		var u unkillable
		givenUp := make(chan struct{})
		s := stop{ctx: cancelled(t), family: &u, grace: time.Hour, giveUp: func() { close(givenUp) }}
		s.requestEnd(time.Time{})
		s.requestEnd(began.Add(time.Second))
		<-time.After(2 * time.Second)
		is.True(u.killed.Load())
		u.killed.Store(false)
		s.requestEnd(began.Add(time.Minute))
		<-givenUp
		is.True(!u.killed.Load()) // once is enough
		is.Equal(time.Since(began), time.Second+stuck)
		_, cause := s.over()
		is.Equal(cause, errEnough) // the first
	})
}

func TestNothingIsDoneToACommandThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var u unkillable
		s := stop{ctx: cancelled(t), family: &u, giveUp: func() { t.Error("given up") }}
		s.requestEnd(time.Time{})
		s.over()
		<-time.After(time.Hour)
		is.True(!u.killed.Load())
		s = stop{ctx: cancelled(t), family: &u}
		s.over()
		u.asked.Store(false)
		s.requestEnd(time.Time{})
		is.True(!u.asked.Load())
	})
}
