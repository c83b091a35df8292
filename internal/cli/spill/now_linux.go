package spill

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// writeNow writes what can be written without waiting, and returns how much that was. It is 0 where the
// system cannot tell, as for terminals and most disks, and after an error.
func writeNow(to syscall.RawConn, p []byte) (n int) {
	to.Control(func(fd uintptr) { n, _ = unix.Pwritev2(int(fd), [][]byte{p}, -1, unix.RWF_NOWAIT) })
	return max(n, 0)
}
