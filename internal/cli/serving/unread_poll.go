//go:build unix && !linux

package serving

import (
	"os"

	"golang.org/x/sys/unix"
)

// WhenUnread calls f once when the reading end of a pipe or socket is closed, even if
// nothing is written. For other files it may never call f. The watch ends with the process:
// until then a descriptor of the file is open.
func WhenUnread(file *os.File, f func()) {
	watched, err := duplicate(file) // otherwise closing the file would wait for us
	if err != nil {
		return
	}
	go func() {
		defer unix.Close(watched)
		fds := []unix.PollFd{{Fd: int32(watched)}} // errors and the end are always reported
		_, err := unix.Poll(fds, -1)
		for err == unix.EINTR {
			_, err = unix.Poll(fds, -1)
		}
		if err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			f()
		}
	}()
}

// duplicate returns another descriptor of a file, which no child inherits.
func duplicate(file *os.File) (fd int, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	if failed := conn.Control(func(of uintptr) { fd, err = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0) }); failed != nil {
		return 0, failed
	}
	return fd, err
}
