package leave

import (
	"sync"

	"golang.org/x/sys/unix"
)

// pair returns two connected sockets. They stay open until the process ends.
var pair = sync.OnceValues(func() ([2]int, error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
})

// leave puts a copy of a descriptor into a message in a pair of sockets, together with the socket that
// could receive it. When the process has ended nobody can, and the kernel collects and closes such
// descriptors by itself; before 6.8 the process had to wait for that too, so that nothing was gained.
func leave(fd uintptr) {
	if sockets, err := pair(); err == nil {
		_ = unix.Sendmsg(sockets[0], []byte{0}, unix.UnixRights(int(fd), sockets[1]), nil, 0)
	}
}
