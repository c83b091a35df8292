//go:build unix && !linux

package script

import (
	"context"
	"os"
	"syscall"
)

// keeper is what holds the commands of a Runner. This system has no way to limit a process
// from outside.
type keeper struct{ guard guard }

// systemHold is what holds one command.
type systemHold struct {
	runner *Runner
	entry  int // in the table of the guard; 0 for none
	ahead  bool
}

func (r *Runner) prepare(_ context.Context, h *hold) error {
	h.runner, h.limits = r, Limits{}
	return nil
}

func (h *hold) attributes(*syscall.SysProcAttr) {}

// started is called as soon as the command runs.
func (h *hold) started(pid int) error {
	h.entry = h.runner.guarded(pid)
	return nil
}

func (h *hold) limit(int) error { return nil }

func (h *hold) release() {
	h.runner.unguard(h.entry)
	h.entry = 0
}

func (h *hold) reached(Result, *os.ProcessState) string { return "" }

// isTight reports whether commands may have to wait for room.
func (r *Runner) isTight() bool { return false }
