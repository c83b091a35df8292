//go:build unix && !linux

package process

import (
	"context"
	"os"
	"syscall"
)

// keeper is the part of a Runner that enforces limits. This system cannot limit a process
// from outside.
type keeper struct{ guard guard }

// systemHold is the part of a hold that depends on the system.
type systemHold struct {
	runner *Runner
	entry  int // in the table of the guard; 0 for none
}

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
	h.entry = h.runner.guarded(pid)
	return nil
}

func (h *hold) release() {
	h.runner.unguard(h.entry)
	h.entry = 0
}

func (h *hold) reached(Result, *os.ProcessState) string { return "" }
