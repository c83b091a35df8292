package process

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keeper is the part of a Runner that enforces limits.
type keeper struct {
	guard  guard
	own    ownLimits
	tight  tightness
	groups cgroups
}

// systemHold is the part of a hold that depends on the system.
type systemHold struct {
	listed
	group *cgroup // nil for none
}

func (r *Runner) prepare(ctx context.Context, h *hold) error {
	h.runner = r
	if err := r.tight.enter(ctx); err != nil {
		return err
	}
	r.startGuard()
	if r.Cgroup == "" {
		return nil
	}
	group, err := r.groups.make(r.Cgroup, h.limits)
	if err != nil {
		r.tight.leave()
		return fmt.Errorf("MCPBASH_CGROUP: %w", err)
	}
	h.group = group
	return nil
}

// attributes sets the attributes with which the command is started, and returns what is started: the command, or
// the shell that becomes it.
func (h *hold) attributes(sys *syscall.SysProcAttr, path string, argv []string) (string, []string) {
	// Pdeathsig is not set: the guard needs the living command to find descendants that have left
	// its group, and the signal is also sent when just the thread ends that has started the
	// command.
	switch {
	case h.moves():
		return heldShell, append([]string{heldShell, "-c", `kill -STOP $$; exec "$@"`, heldShell, path}, argv[1:]...)
	case h.group != nil:
		h.group.attributes(sys)
	}
	return path, argv
}

// moves reports whether the command is moved into its cgroup, since it cannot be started there: version 1 cannot do
// that, and the filter of a sandbox cannot allow the system call. What is started is then a shell that stops itself,
// and becomes the command when it is told to go on, so that nothing of the command has run outside of its cgroup.
func (h *hold) moves() bool { return h.group != nil && (h.confine != nil || !h.group.v2) }

const heldShell = "/bin/sh"

// awaitStop waits until the child has stopped or ended.
func awaitStop(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// started is called as soon as the command runs. After an error the command must be ended.
func (h *hold) started(pid int) error {
	h.list(pid)
	if h.moves() {
		awaitStop(pid)
		if err := h.group.enter(pid); err != nil {
			return err
		}
	}
	// What a cgroup does not enforce. The limit of processes is relative to how many there are at this moment.
	rest := h.limits
	if h.group != nil {
		rest = h.group.rest
	}
	if err := rest.set(pid, &h.runner.own); err != nil && h.strict {
		return err
	}
	if h.moves() {
		unix.Kill(pid, unix.SIGCONT)
	}
	return nil
}

func (h *hold) release() {
	h.unlist()
	if h.group != nil {
		h.group.remove()
	}
	h.runner.tight.leave()
}

// The exit codes of a shell whose last program was ended by the signal of a limit.
const (
	exitCPU      = 128 + int(unix.SIGXCPU)
	exitFileSize = 128 + int(unix.SIGXFSZ)
)

// reached returns the name of the limit that has ended the command, or "".
func (h *hold) reached(res Result, state *os.ProcessState) string {
	l := h.limits
	switch {
	case res.ExitCode <= 0:
		return ""
	case l.CPU > 0 &&
		(res.ExitCode == exitCPU || res.Signal == "SIGKILL" && state.UserTime()+
			state.SystemTime() >= time.Duration(l.CPU)*time.Second):
		return "cpuSeconds"
	case l.FileSize > 0 && res.ExitCode == exitFileSize:
		return "fileSize"
	case h.group != nil:
		return h.group.reached()
	}
	return ""
}
