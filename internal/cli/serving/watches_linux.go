package serving

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ReleaseWatches saves the process the time of closing its inotify instances when it is about to
// end. Closing the last descriptor of an instance waits for the kernel to synchronize, which takes
// ten times as long as everything else at the end. Here the last descriptor is in a message in a
// pair of connected sockets, which nobody can receive after the process has ended and closed both.
// The kernel collects and closes such descriptors later by itself; before 6.8 the process had to
// wait for that too, so that nothing was gained.
func ReleaseWatches() {
	fds := inotifies()
	if len(fds) == 0 {
		return
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return
	}
	// The end of the process closes the pair. If this fails, it closes the instances too, only slower.
	unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(append(fds, pair[1])...), nil, 0)
}

// inotifies returns the descriptors of the inotify instances of this process.
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
