//go:build unix && !linux

package sdk

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// pipe makes a pipe that no other command inherits, not even one that is just being started.
func pipe(r, w *int) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var fds [2]int
	err := unix.Pipe(fds[:])
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
		*r, *w = fds[0], fds[1]
	}
	return err
}
