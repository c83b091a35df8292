//go:build unix && !linux

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

func newPipe() (source, *os.File, error) { return os.Pipe() }

// hungUp reports whether no process has the other end of a pipe open any more.
func hungUp(pipe *os.File) bool { return poll(pipe)&unix.POLLHUP != 0 }

// readable reports whether there is data in a pipe.
func readable(pipe *os.File) bool { return poll(pipe)&unix.POLLIN != 0 }

// poll returns the current state of a pipe.
func poll(pipe *os.File) (events int16) {
	control(pipe, func(fd int) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, 0); err == nil {
			events = fds[0].Revents
		}
	})
	return events
}

// readNow reads what is in a pipe now, without waiting.
func readNow(pipe *os.File, b []byte) (n int) {
	control(pipe, func(fd int) {
		for {
			var err error
			if n, err = unix.Read(fd, b); err != unix.EINTR {
				return
			}
		}
	})
	return n
}

// control calls f with the file's descriptor, which stays in non-blocking mode, unlike with Fd.
func control(file *os.File, f func(fd int)) {
	if raw, err := file.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { f(int(fd)) })
	}
}
