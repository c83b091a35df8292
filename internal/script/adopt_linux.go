package script

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// adoption is the reaper, or nil before Adopt.
type adoption struct{ *reaper }

// Adopt makes the process the one to which the system hands its orphaned descendants, so
// that the Runner finds and ends also those that left the group of their command. Call
// it once, at the start of the server, before the first Run; a process can have one
// adopting Runner, and all its commands must then go through that one. Children that are
// started by other means are left alone, as long as they stay in the server's group.
//
// A descendant is told apart from those of other commands by its group, or by the
// variable MCPBASH_RUN_ID in its environment. One that got rid of both, as a database
// server that overwrites its environment does, cannot be told while other commands run
// that may have started it: it is ended when the last of those ends. Where the server is the
// first process of a container, or had children before, it is left alone.
//
// If the server itself is killed with SIGKILL, only the Guard ends its commands.
func (r *Runner) Adopt() error {
	var adopts int32
	_, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&adopts)), 0)
	if errno == 0 && adopts != 0 {
		return errors.New("adopt orphans: this process does so already; use one Runner for all commands")
	}
	k, err := newReaper()
	if err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	r.reaper = k
	return nil
}

func (r *Runner) start(path string, argv []string, attr os.ProcAttr, h *hold) (family, error) {
	if r.reaper == nil {
		return startGroup(path, argv, attr, h)
	}
	return r.reaper.start(path, argv, attr, h)
}
