//go:build unix && !linux

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

func newPipe() (source, *os.File, error) { return os.Pipe() }

// readable reports whether there is data in a pipe.
func readable(pipe *os.File) (ready bool) {
	control(pipe, func(fd int) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, 0)
		ready = err == nil && fds[0].Revents&unix.POLLIN != 0
	})
	return ready
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
