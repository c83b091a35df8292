//go:build unix && !linux

package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adoption is empty: on this system only the first process can adopt orphans.
type adoption struct{}

// Adopt does nothing on this system, where commands are ended by their process group.
func (r *Runner) Adopt() error { return nil }

func (adoption) end() {}

func (r *Runner) start(path string, argv []string, attr os.ProcAttr, h *hold) (family, error) {
	return startGroup(path, argv, attr, h)
}

// keeper is the part of a Runner that enforces limits. This system cannot limit a process
// from outside.
type keeper struct{ guard guard }

type systemHold struct{ listed }

func (r *Runner) prepare(_ context.Context, h *hold) error {
	h.runner, h.limits = r, Limits{}
	r.startGuard()
	return nil
}

func (h *hold) attributes(_ *syscall.SysProcAttr, path string, argv []string) (string, []string) {
	return path, argv
}

// started is called as soon as the command runs.
func (h *hold) started(pid int) error {
	h.list(pid)
	return nil
}

func (h *hold) release() { h.unlist() }

func (h *hold) reached(Result, *os.ProcessState) string { return "" }

// CheckCgroup returns an error: this system has no cgroups.
func CheckCgroup(string) error { return errors.New("there are cgroups on Linux only") }

// Unheld returns which limits are not enforced for the commands of this process, a sentence each.
func Unheld(string) []string { return []string{"none is held on this system"} }

// sharedFile returns an unlinked file.
func sharedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "mcpbash.commands.")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// sinceBoot is not used on this system.
func sinceBoot() int64 { return 0 }

func nameGuard() {}

func (r *Runner) marks() (prefix, groups string) { return "", "" }

// startOther starts a child that is not a command.
func (r *Runner) startOther(start func() (*os.Process, error)) (*os.Process, error) { return start() }

func (r *Runner) reaped() {}

// endRemaining ends the process groups of the commands of a server that is gone.
func endRemaining(commands map[int]int64, _, _ string) { endGroups(commands) }

// process stands for all that is left of a process group: this system does not list its
// members or their activity.
type process struct{ pid int }

// members returns one process if the group has a living member that this process may signal.
// On this system kill fails if all members are dead.
func members(group int) []process {
	if unix.Kill(-group, 0) != nil {
		return nil
	}
	return []process{{pid: group}}
}

// lingerAtRest is how long the processes that a command left behind may go on.
const lingerAtRest = 200 * time.Millisecond

func activityOf([]process) activity { return activity{} }

func newPipe() (source, *os.File, error) { return os.Pipe() }

// readable reports whether there is data in a pipe.
func readable(pipe *os.File) (ready bool) {
	control(pipe, func(fd int) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, 0)
		ready = err == nil && fds[0].Revents&unix.POLLIN != 0
	})
	return ready
}

// readNow reads what is in a pipe now, without waiting.
func readNow(pipe *os.File, b []byte) (n int) {
	control(pipe, func(fd int) {
		for {
			var err error
			if n, err = unix.Read(fd, b); err != unix.EINTR {
				return
			}
		}
	})
	return n
}

// control calls f with the file's descriptor, which stays in non-blocking mode, unlike with Fd.
func control(file *os.File, f func(fd int)) {
	if raw, err := file.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { f(int(fd)) })
	}
}
