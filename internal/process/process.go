// Package process runs a command until it ends, and ends all processes that it started.
//
//	var r process.Runner
//	out := process.Head{Limit: 10 << 20}
//	res, err := r.Run(ctx, process.Command{Path: "/project/tools/hello.sh", Stdout: &out})
//
// The processes that a command starts belong to it. When the context is done first, all of
// them are asked to end (TERM), and what is left after the grace period is killed. When the
// command ends by itself, what it left running in the background is ended too. No process of
// the command is left when [Runner.Run] returns; tools that want to start a service that
// outlives them must use a service manager.
//
// Which processes are found depends on the system:
//
//   - Linux, after [Runner.Adopt]: all descendants, also those that left the group with
//     setsid or became daemons.
//   - Linux without it, macOS: the process group.
//   - Windows: the job, which nothing can leave.
//
// The package does not depend on MCP. It implements S-14 (a command never inherits the
// streams of the protocol) and X-09 (cancelling a call ends all of its processes).
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// DefaultGrace is the time between TERM and KILL if a Command sets none.
const DefaultGrace = 2 * time.Second

// stuck is how long to wait for a killed process. One that has not ended by then hangs in
// the kernel (a dead network disk) or belongs to another user, and waiting longer would
// block the caller.
const stuck = 10 * time.Second

// A Command is a program to run, with its streams and limits. Only Path is required.
type Command struct {
	// Path is the program, used as it is: absolute, or relative to Dir. It is not looked up on
	// PATH. A script that the system would not start, since it is not executable or has no #!
	// line, is run by the interpreter of that line, or of its file extension (.sh: bash).
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
	// Stdout and Stderr get what the command writes; nil means it is discarded by the system. Each is
	// written to by one goroutine, on Linux by one for both, and never after Run has returned. If both
	// are the same writer, they share a pipe, which keeps their order. Run waits for a Write under way.
	// After a Write that fails, the rest is read and dropped, so that the command is not blocked.
	//
	// An *os.File in any of the three is handed to the command as it is.
	Stdout, Stderr io.Writer
	// ExtraFiles become the descriptors 3, 4, ... of the command. They stay the caller's
	// to close. Not supported on Windows.
	ExtraFiles []*os.File

	// Copies are pipes of the caller that are read while the command runs, and once more when it
	// has ended, so that all that it wrote to them has been copied when Run returns. They stay the
	// caller's to close. Not supported on Windows.
	Copies []Copy

	name string // under which the program is started, the argument 0; empty: Path

	// Limits are what the command asks for; see Runner.Limits.
	Limits Limits
	// Confine, unless it is nil, calls start, once, on a thread from which the command inherits
	// its restrictions, and returns its error; release is called when the command has ended. If it
	// fails itself, it must not call start. See package cage.
	Confine func(start func() error) (release func(), err error)

	// Started is called when the command has started, unless it is nil.
	Started func(pid int)

	// Grace is the time between TERM and KILL; 0 means DefaultGrace, less than 0 means
	// KILL at once.
	Grace time.Duration
}

// A Copy copies what is written to a pipe, which must be in non-blocking mode, to a writer, as is done
// for Stdout and Stderr, but Run does not wait for its end of file.
type Copy struct {
	From *os.File
	To   io.Writer
}

// A Result is how a command ended.
type Result struct {
	// ExitCode is what a shell would report: the exit code, or 128+n after signal n. It is
	// -1 if the command did not start or could not be ended.
	ExitCode int
	// Signal is the name of the signal that ended the command, such as "SIGKILL", or empty.
	Signal string
	// Limit is the name of the limit that is known to have ended the command, such as
	// "cpuSeconds", or empty. Limits are those that were in effect; 0 is none.
	Limit  string
	Limits Limits
	// Took is the time from the start of the command to its end, without the processes
	// that it left behind.
	Took time.Duration
	// Left has the ids of processes that could not be ended, since they belong to another
	// user or hang in the kernel. It is almost always empty.
	Left []int
	// Gone means that no process of the command is left, also none that left its group. It is almost always
	// true for a Runner that adopts on Linux, and on Windows; else never. Only a program that hides a process
	// on purpose, as a child of this one (CLONE_PARENT), is not noticed.
	Gone bool
}

// A Runner runs commands, any number of them at the same time, until [Runner.Close]. The zero
// value is ready to use.
type Runner struct {
	// Before is called before each start of a command, to install what commands need. It
	// may be called by several goroutines at once, and may be nil.
	Before func()
	// Limits are set by the operator: the most that a Command can ask for, and what applies to a
	// Command that asks for nothing. If not set, [DefaultProcesses] is the limit of processes,
	// and nothing else is limited.
	Limits Limits
	// Guard is the command that runs [Guard] in a separate process, started before the first
	// command: it ends what is running when this process is killed. Nil for none. Not used on
	// Windows, where the system does the same.
	Guard []string

	// Cgroup is a folder of cgroups, version 2 or that of the controller pids, in which a cgroup
	// is created for each command. It must be used by this server only. Empty for none. Linux
	// only.
	Cgroup string

	adoption // what Adopt has set up, where the system supports it
	keeper   // enforces the limits of commands

	closing closing

	null atomic.Pointer[os.File] // the null device, for all commands; see devNull
}

// A family is a started command with all the processes that belong to it. Each system has
// its own implementation.
type family interface {
	// wait blocks until the command itself has ended.
	wait()
	// ask asks all processes to end. It must not be called after wait has returned.
	ask()
	// kill ends the command itself, and with it at least its process group.
	kill()
	// end is called once, after wait has returned. It ends the remaining processes, which may
	// take until the time that until returns to end by themselves; that time can become earlier
	// meanwhile. The zero time means that the command was not asked to end; then they may
	// continue for a moment while they work or some of their output, in s, is unread. It returns how the
	// command ended and which processes could not be ended.
	end(until func() time.Time, s *streams) (*os.ProcessState, []int)
	// complete reports whether end finds all processes of the command, so that none is left if it returns
	// none.
	complete() bool
	// process returns the process of the command itself.
	process() *os.Process
}

// Run starts the command and returns when it has ended and no process that it started is
// left. All that the command had written until its end has been copied by then.
//
// An exit code other than 0 is a Result, not an error. The error is
//
//   - a [*StartError] if the command could not be started,
//   - context.Cause(ctx) if ctx was done before the command had ended, whatever its exit
//     code was then; [ErrClosed] if the Runner was closed before,
//   - the error of Stdout or Stderr if one of them failed.
//
// A process that the command left behind in the background does not keep Run from returning,
// even if it holds the command's output open. It is killed as soon as it is idle, which the tee
// of "exec > >(tee log)" is not before it has written its last line; on macOS and Windows,
// where that is not visible, after a moment.
func (r *Runner) Run(ctx context.Context, c Command) (Result, error) {
	never := Result{ExitCode: -1}
	if ctx.Err() != nil {
		return never, context.Cause(ctx)
	}
	end := &stop{ctx: ctx, grace: c.Grace}
	if !r.closing.enter(end) {
		return never, ErrClosed
	}
	defer r.closing.leave(end)
	s, h, f, err := r.begin(ctx, c)
	if err != nil {
		return never, err
	}
	defer h.ended()
	end.started(f, s.giveUp)
	if limit := r.closing.sooner(time.Time{}); !limit.IsZero() {
		end.requestEnd(limit) // Close was called meanwhile
	}
	if c.Started != nil {
		c.Started(f.process().Pid)
	}
	uncancelled := context.AfterFunc(ctx, func() { end.requestEnd(time.Time{}) })
	stuck := s.copyUntilEnd(f)
	s.closeChildEnds()
	uncancelled()
	asked, cause := end.over()
	until := func() time.Time { return r.closing.sooner(asked) }
	res := Result{ExitCode: -1, Took: time.Since(h.began), Limits: h.limits}
	if stuck == nil {
		var state *os.ProcessState
		state, res.Left = f.end(until, s)
		res.ExitCode, res.Signal = exitCode(state)
		res.Limit = h.reached(res, state)
		h.release()
	} else { // it has survived KILL
		res.Left = []int{f.process().Pid}
	}
	res.Gone = len(res.Left) == 0 && f.complete()
	err = s.drain(res.Gone)
	if stuck != nil {
		go func() { <-stuck; f.end(until, s); h.release() }()
	}

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

// begin starts the command. The error is that of Run.
func (r *Runner) begin(ctx context.Context, c Command) (*streams, *hold, family, error) {
	ready, refused := started(c)
	if refused != nil {
		return nil, nil, nil, refused
	}
	s, err := r.connect(c)
	if err != nil {
		if e := Scarce(c.Path, err); e != nil {
			return nil, nil, nil, e
		}
		return nil, nil, nil, &StartError{Path: c.Path, Reason: "its streams cannot be made: " + err.Error(), Err: err}
	}
	h, err := r.hold(ctx, ready)
	if err != nil {
		s.abandon()
		if ctx.Err() != nil {
			return nil, nil, nil, context.Cause(ctx)
		}
		return nil, nil, nil, explain(c, err)
	}
	h.began = time.Now()
	f, err := r.launch(ready, s.files, h)
	if err != nil && ready.name != "" {
		f, err = r.launch(c, s.files, h) // env may find it, or reports what is wrong
	}
	s.started()
	if err != nil {
		h.release()
		s.abandon()
		return nil, nil, nil, explain(c, err)
	}
	return s, h, f, nil
}

// launch starts the command. If the program is just being written ("text file busy"), it
// retries for a moment: an editor that saves a tool, or another goroutine's child between
// fork and exec, holds it open for some milliseconds.
func (r *Runner) launch(c Command, files []*os.File, h *hold) (family, error) {
	argv := make([]string, 0, 1+len(c.Args))
	argv = append(append(argv, cmp.Or(c.name, c.Path)), c.Args...)
	attr := os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: files}
	if attr.Env == nil {
		attr.Env = []string{} // nil would mean the server's environment
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
