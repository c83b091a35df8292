// Package script runs one command until it ends and leaves nothing of it behind.
//
//	var r script.Runner
//	out := script.Head{Limit: 10 << 20}
//	res, err := r.Run(ctx, script.Command{Path: "/project/tools/hello.sh", Stdout: &out})
//
// A command is more than one process: what it starts belongs to it. When the context is
// done first, all of it is asked to end (TERM), and what is left after the grace period is
// killed. When the command ends by itself, what it left running in the background is ended
// too. No process of it is left when [Runner.Run] returns; tools that want to start a
// service that outlives them must ask a service manager.
//
// How far that reaches depends on the system:
//
//   - Linux, after [Runner.Adopt]: all descendants, also those that left the group with
//     setsid or became daemons.
//   - Linux without it, macOS: the process group.
//   - Windows: the job, which nothing can leave.
//
// The package knows nothing of MCP. It keeps S-14 (a command never inherits the streams of
// the protocol) and X-09 (to cancel a call is to end all of its processes).
package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// DefaultGrace is the time between TERM and KILL where a Command names none.
const DefaultGrace = 2 * time.Second

// A killed process that has not ended after this time never will in a useful time: it
// hangs in the kernel (a dead network disk) or belongs to another user. Waiting on would
// cost the caller a worker.
const stuck = 10 * time.Second

// A Command says what to run and with which streams. Only Path is needed.
type Command struct {
	// Path is the program, used as it is: absolute, or relative to Dir. It is not looked
	// up on PATH. A script that the system would not start, for it has lost its mode or has
	// no #! line, is run by the interpreter of that line, or of its ending (.sh: bash).
	Path string
	// Args are the arguments after the program's name.
	Args []string
	// Dir is the working folder; empty means the server's own.
	Dir string
	// Env is the whole environment, as NAME=value; nil means an empty one. An adopting
	// Runner adds MCPBASH_RUN_ID.
	Env []string

	// Stdin is what the command reads; nil means nothing (end of file at once). A Read
	// may still be under way when Run returns, so the reader must not be used again.
	Stdin io.Reader
	// Stdout and Stderr get what the command writes; nil means it is discarded by the
	// system. Each is written to by one goroutine, on Linux by one for both, and no more once Run
	// has returned. If both are the same writer, they share a pipe, which keeps their order. Run
	// waits for a Write under way. After one that fails, the rest is read and dropped, so that the
	// command is not blocked.
	//
	// An *os.File in any of the three is handed to the command as it is.
	Stdout, Stderr io.Writer
	// ExtraFiles become the descriptors 3, 4, ... of the command. They stay the caller's
	// to close. Not supported on Windows.
	ExtraFiles []*os.File

	// Ahead is a shell that was started for this command by [Runner.StartAhead]; nil for none. If it
	// does not fit, the command is started as always.
	Ahead *Standby

	// Copies are pipes of the caller that are read while the command runs, and once more when it
	// has ended, so that all that it wrote to them is passed on when Run returns. They stay the
	// caller's to close. Not supported on Windows.
	Copies []Copy

	name string // under which the program is started, the argument 0; empty: Path

	// Limits are what the command asks for; see Runner.Limits.
	Limits Limits
	// Confine, unless it is nil, calls the start that it is given, once, on a thread from which
	// the command inherits what it may do, and returns its error; release is called when the
	// command has ended. An error of its own means that start was not called. See package cage.
	Confine func(start func() error) (release func(), err error)

	// Grace is the time between TERM and KILL; 0 means DefaultGrace, less than 0 means
	// KILL at once.
	Grace time.Duration
}

// A Copy passes what is written to a pipe, which is in non-blocking mode, to a writer, as is done for
// Stdout and Stderr, but nobody waits for its end.
type Copy struct {
	From *os.File
	To   io.Writer
}

// A Result says how a command ended.
type Result struct {
	// ExitCode is what a shell would show: the exit code, or 128+n after signal n. It is
	// -1 if the command did not start or could not be ended.
	ExitCode int
	// Signal is the name of the signal that ended the command, such as "SIGKILL", or empty.
	Signal string
	// Limit is the name of the limit that is known to have ended the command, such as
	// "cpuSeconds", or empty. Limits are those that held for it; 0 is none.
	Limit  string
	Limits Limits
	// Took is the time from the start of the command to its end, without the processes
	// that it left behind.
	Took time.Duration
	// Left holds the ids of processes that could not be ended: those of another user, or
	// those that hang in the kernel. It is almost always empty.
	Left []int
}

// A Runner runs commands, any number of them at the same time, until [Runner.Close]. The zero
// value is ready.
type Runner struct {
	// Before is called before each start of a command, by several goroutines at once: to
	// put in place what commands need. Nil: nothing is.
	Before func()
	// Limits are what the operator says: the most that a Command can ask for, and what holds
	// for one that asks for nothing. Where it says nothing, [DefaultProcesses] is the limit of
	// processes, and nothing else is limited.
	Limits Limits
	// Guard is the command that runs [Guard] in a process of its own, started with the first
	// command: it ends what is running when this process is killed. Nil: there is none. Not
	// used on Windows, where the system does the same.
	Guard []string

	// Cgroup is a folder of cgroups, version 2 or that of the controller pids, in which each
	// command gets one of its own. It must be there for the server alone. Empty: there is none.
	// Linux only.
	Cgroup string

	adoption // what Adopt has set up, if the system has such a thing
	keeper   // what holds the commands

	closing closing

	null    atomic.Pointer[os.File] // the null device, for all commands; see devNull
	buffers sync.Pool               // of *[]byte, for reading output
	loops   loops                   // for waiting, between two runs
}

// A family is a started command with all the processes that belong to it. Each system has
// its own kind.
type family interface {
	// wait blocks until the command itself has ended.
	wait()
	// ask invites all processes to end. It may be called until wait has returned.
	ask()
	// kill ends the command itself, and with it at least its process group.
	kill()
	// end is called once, after wait has returned: it ends the processes that are still
	// there, which may take until the given time to do so by themselves; that may be brought
	// forward meanwhile. The zero time means that the command was not asked to end; then they
	// may go on for a moment while they work or some of their output is unread. It returns how
	// the command ended and which processes could not be ended.
	end(until func() time.Time, out outlet) (*os.ProcessState, []int)
	// complete reports whether no process of the command is left once end has returned none.
	complete() bool
	// process is the command itself.
	process() *os.Process
}

// An outlet is where the output of what a command left behind goes.
type outlet interface {
	// pause lets a moment pass, in which output is read.
	pause(time.Duration)
	// unread reports whether there is more of it, or was in the last pause.
	unread() bool
}

// noStreams is the outlet of a command whose streams are closed.
var noStreams outlet = closedStreams{}

type closedStreams struct{}

func (closedStreams) pause(d time.Duration) { time.Sleep(d) }
func (closedStreams) unread() bool          { return false }

// Run starts the command and returns when it has ended and no process that it started is
// left. All that the command had written when it ended has then been passed on.
//
// An exit code other than 0 is a Result, not an error. The error is
//
//   - a [*StartError] if the command could not be started,
//   - context.Cause(ctx) if ctx was done before the command had ended, whatever its exit
//     code was then; [ErrClosed] if the Runner was closed before,
//   - the error of Stdout or Stderr if one of them failed.
//
// A process that the command left behind in the background does not keep Run from
// returning, even if it holds the command's output open. It is killed as soon as it rests,
// as the tee of "exec > >(tee log)" does not before it has passed on its last line; on macOS
// and Windows, where that cannot be seen, after a moment.
func (r *Runner) Run(ctx context.Context, c Command) (Result, error) {
	never := Result{ExitCode: -1}
	if ctx.Err() != nil {
		return never, context.Cause(ctx)
	}
	if !r.closing.enter() {
		return never, ErrClosed
	}
	defer r.closing.leave()
	b, err := c.Ahead.wake(c)
	if err != nil {
		b, err = r.begin(ctx, c)
	}
	if err != nil {
		return never, err
	}
	s, h, f := b.streams, b.hold, b.family
	defer h.place.end()
	end := &stop{ctx: ctx, family: f, grace: c.Grace, giveUp: s.giveUp}
	r.closing.join(end)
	uncancelled := context.AfterFunc(ctx, func() { end.order(time.Time{}) })
	stuck := s.copyUntilEnd(f)
	s.closeChildEnds()
	uncancelled()
	r.closing.part(end)
	cause, asked := end.over()
	until := func() time.Time { return r.closing.sooner(asked) }
	res := Result{ExitCode: -1, Took: time.Since(b.at), Limits: h.limits}
	if stuck == nil {
		var state *os.ProcessState
		state, res.Left = f.end(until, s)
		res.ExitCode, res.Signal = exitCode(state)
		res.Limit = h.reached(res, state)
		h.release()
	} else { // not even KILL has ended it
		res.Left = []int{f.process().Pid}
		go func() { <-stuck; f.end(until, noStreams); h.release() }()
	}
	err = s.drain(stuck == nil && len(res.Left) == 0 && f.complete())

	switch {
	case cause != nil:
		return res, cause
	case err != nil:
		return res, fmt.Errorf("run %s: %w", c.Path, err)
	case res.ExitCode > 0:
		if e := explainExit(c, res.ExitCode); e != nil {
			return res, e
		}
	}
	return res, nil
}

// begun is a command that has started.
type begun struct {
	streams *streams
	hold    *hold
	family  family
	at      time.Time
}

// begin starts the command. The error is that of Run.
func (r *Runner) begin(ctx context.Context, c Command) (*begun, error) {
	ready, refused := started(c)
	if refused != nil {
		return nil, refused
	}
	s, err := r.connect(c)
	if err != nil {
		if e := Scarce(c.Path, err); e != nil {
			return nil, e
		}
		return nil, &StartError{Path: c.Path, Reason: "its streams cannot be made: " + err.Error(), Err: err}
	}
	h, err := r.hold(ctx, ready)
	if err != nil {
		s.abandon()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, explain(c, err)
	}
	at := time.Now()
	f, err := r.launch(ready, s.files, h)
	if err != nil && ready.name != "" {
		f, err = r.launch(c, s.files, h) // env may know better, or says what is wrong
	}
	s.started()
	if err != nil {
		h.release()
		s.abandon()
		return nil, explain(c, err)
	}
	return &begun{s, h, f, at}, nil
}

// by waits for done until a time, or until sooner, and reports whether done came.
func by(limit time.Time, done, sooner <-chan struct{}) bool {
	t := time.NewTimer(time.Until(limit))
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-sooner:
	case <-t.C:
	}
	return false
}

// launch starts the command. A program that is being written just now ("text file busy")
// is tried again for a moment: an editor that saves a tool, or another goroutine's child
// between fork and exec, holds it open for some milliseconds.
func (r *Runner) launch(c Command, files []*os.File, h *hold) (family, error) {
	argv := make([]string, 0, 1+len(c.Args))
	argv = append(append(argv, cmp.Or(c.name, c.Path)), c.Args...)
	attr := os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: files}
	if attr.Env == nil {
		attr.Env = []string{} // nil would mean the server's own
	}
	if r.Before != nil {
		r.Before()
	}
	for pause := time.Millisecond; ; pause *= 2 {
		f, err := r.start(c.Path, argv, attr, h)
		if err == nil {
			return f, nil
		}
		if errors.Is(err, syscall.EBADF) {
			err = syscall.EMFILE // Go moves descriptors up, out of the way, beyond the limit
		}
		if !errors.Is(err, syscall.ETXTBSY) || pause > 64*time.Millisecond {
			return nil, err
		}
		time.Sleep(pause)
	}
}
