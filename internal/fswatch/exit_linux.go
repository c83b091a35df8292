package fswatch

import "golang.org/x/sys/unix"

// Exits tells the watcher that the process ends soon after [Watcher.Close], which is fast then. Call
// it before the watcher is used.
//
// Closing the last descriptor of an inotify instance waits for the kernel to synchronize, which
// takes ten times as long as everything else at the end of a process. So the last one is left in
// a message in a pair of connected sockets, which nobody can receive after the process has ended
// and closed both. The kernel collects and closes such descriptors later by itself; before 6.8 the
// process had to wait for that too, so that nothing was gained.
func (w *Watcher) Exits() { w.exits = true }

// leave leaves a copy of the descriptor to the kernel. If that fails, closing only takes longer.
func (w *Watcher) leave() {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return
	}
	w.withQueue(func(fd int) error { // the end of the process closes the pair
		return unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(fd, pair[1]), nil, 0)
	})
}
