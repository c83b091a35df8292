//go:build unix && !linux

package script

import (
	"time"

	"golang.org/x/sys/unix"
)

// process stands for all that is left of a process group: this system does not say what it
// does, or who they are.
type process struct{ pid int }

// members returns one process if the group has a living member that we may signal. For the
// dead alone kill fails on this system.
func members(group int) []process {
	if unix.Kill(-group, 0) != nil {
		return nil
	}
	return []process{{pid: group}}
}

// lingerAtRest is how long the processes that a command left behind may go on.
const lingerAtRest = 200 * time.Millisecond

func activityOf([]process) activity { return activity{} }
