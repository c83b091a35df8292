package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// releaseWatches spares the process the closing of its inotify instances when it is about to
// end. Whoever closes the last descriptor of one waits until the kernel has come to rest, for
// ten times as long as all else at the end takes. Here the last one is in a message that a
// socket has sent to itself, and that nobody can receive when the process has ended and closed
// it. The kernel notices that by itself, and closes what was sent; before 6.8 it let the process
// wait for that too, so that nothing was won.
func releaseWatches() {
	fds := inotifies()
	if len(fds) == 0 {
		return
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return
	}
	// The end of the process closes the pair. Where this fails, that is all that happens.
	unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(append(fds, pair[1])...), nil, 0)
}

// inotifies are the descriptors of the inotify instances of this process.
func inotifies() (fds []int) {
	const dir = "/proc/self/fd"
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if to, _ := os.Readlink(dir + "/" + e.Name()); to == "anon_inode:inotify" {
			if fd, err := strconv.Atoi(e.Name()); err == nil {
				fds = append(fds, fd)
			}
		}
	}
	return fds
}
