//go:build unix

package process

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup makes the command the leader of a process group. A session (Setsid) would be
// stricter, but the Linux scheduler shares the CPU between sessions (autogroup): on a busy
// machine, commands would start up to 50% more slowly.
var ownGroup = syscall.SysProcAttr{Setpgid: true}

// group is a command and its process group. A process that leaves the group is not tracked.
type group struct {
	proc  *os.Process
	state *os.ProcessState // set by wait
}

func startGroup(path string, argv []string, attr os.ProcAttr, h *hold) (*group, error) {
	sys := ownGroup
	path, argv = h.attributes(&sys, path, argv)
	attr.Sys = &sys
	p, err := h.start(path, argv, &attr)
	if err != nil {
		return nil, err
	}
	if err := h.started(p.Pid); err != nil {
		unix.Kill(-p.Pid, unix.SIGKILL)
		p.Wait()
		return nil, unlimited(err)
	}
	return &group{proc: p}, nil
}

func (g *group) process() *os.Process { return g.proc }

// complete reports false: a process that has left the group may live on.
func (g *group) complete() bool { return false }

func (g *group) pid() int { return g.proc.Pid }

func (g *group) wait() { g.state, _ = g.proc.Wait() }

func (g *group) ask() { signalToEnd(-g.pid()) }

func (g *group) kill() { unix.Kill(-g.pid(), unix.SIGKILL) }

// end waits for the last process of the group to end. The command itself is reaped, but its
// id is not given to another process while the group has a member.
func (g *group) end(until func() time.Time, s *streams) (*os.ProcessState, []int) {
	l := linger{until: until, began: time.Now(), unread: s.unread}
	for pause := firstPause; ; pause = longer(pause) {
		left, now := members(g.pid()), time.Now()
		if len(left) == 0 {
			g.kill() // in case /proc does not show them
			return g.state, nil
		}
		if l.isOver(now, func() activity { return activityOf(left) }) {
			if unix.Kill(-g.pid(), unix.SIGKILL) == unix.EPERM || l.isHopeless(now) {
				return g.state, pids(left)
			}
		}
		s.pause(pause)
	}
}

func pids(processes []process) (ids []int) {
	for _, p := range processes {
		ids = append(ids, p.pid)
	}
	return ids
}

// signalToEnd sends TERM to a process, or to the group -pid, and then CONT, without which a
// stopped process would not handle it.
func signalToEnd(pid int) {
	unix.Kill(pid, unix.SIGTERM)
	unix.Kill(pid, unix.SIGCONT)
}

// exitCode returns how a command ended, with the code that a shell would report.
func exitCode(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	status := state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}
