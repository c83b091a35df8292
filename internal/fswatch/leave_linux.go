package fswatch

import (
	"sync"

	"golang.org/x/sys/unix"
)

// watchers are those of this process that are not closed.
var watchers sync.Map // *Watcher to nothing

// Leave saves a process that is about to end the time of closing its watchers. Closing the last
// descriptor of an inotify instance waits for the kernel to synchronize, which takes ten times as
// long as everything else at the end. Here the last descriptor is in a message in a pair of
// connected sockets, which nobody can receive after the process has ended and closed both. The
// kernel collects and closes such descriptors later by itself; before 6.8 the process had to wait
// for that too, so that nothing was gained.
func Leave() {
	var fds []int
	watchers.Range(func(w, _ any) bool {
		w.(*Watcher).withQueue(func(fd int) error { fds = append(fds, fd); return nil })
		return true
	})
	if len(fds) == 0 {
		return
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return
	}
	// The end of the process closes the pair. If this fails, it closes the watchers too, only slower.
	unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(append(fds, pair[1])...), nil, 0)
}
