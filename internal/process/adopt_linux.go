package process

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// adoption holds the reaper, nil before Adopt.
type adoption struct {
	*reaper
	ours bool // Adopt was called on this Runner
}

// end ends the adoption when no command is left: whatever the process starts from now on is no concern
// of the Runner, and another one may adopt.
func (a adoption) end() {
	if !a.ours {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) // it worked with 1
}

// Adopt makes this process the parent of its orphaned descendants (a subreaper), so that
// the Runner can find and end also those that left the process group of their command. Call
// it once, at the start of the server, before the first Run. A process can have only one
// Runner that adopts at a time, until it is closed, and all its commands must then be run by that. Children that are
// started by other means are left alone, as long as they stay in the server's group.
//
// A descendant is attributed to its command by its group, or by the variable MCPBASH_RUN_ID in
// its environment. A descendant with neither, such as a database server that overwrites its
// environment, cannot be attributed while other commands run that may have started it: it is
// ended when the last of those ends. It is left alone where the server is the first process of
// a container or had children before.
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
	r.adoption = adoption{k, true}
	return nil
}

func (r *Runner) start(path string, argv []string, attr os.ProcAttr, h *hold) (family, error) {
	if r.reaper == nil {
		return startGroup(path, argv, attr, h)
	}
	return r.reaper.start(path, argv, attr, h)
}
