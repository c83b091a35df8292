//go:build unix && !linux

package process

import (
	"time"

	"golang.org/x/sys/unix"
)

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
