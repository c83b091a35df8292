package sdk

import "golang.org/x/sys/unix"

// pipe makes a pipe that no other command inherits.
func pipe(r, w *int) error {
	var fds [2]int
	err := unix.Pipe2(fds[:], unix.O_CLOEXEC)
	if err == nil {
		*r, *w = fds[0], fds[1]
	}
	return err
}
