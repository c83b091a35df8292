package main

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// lastOnes is how long connections that have begun before noNew may take to be accepted.
const lastOnes = 100 * time.Millisecond

// noNew lets no connection begin any more, and returns when those that have begun should have been
// accepted: one that still waits when its listener is closed is reset, and what the client has sent on it
// is lost. The system drops requests to connect, so that a client tries again and is refused then, when
// the listener is closed, and a balancer takes another replica.
func noNew(l net.Listener) {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	const flags, syn = 13, 0x02 // in the header of a segment
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: flags},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 0, Jf: 1, K: syn},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program)
	})
	if err == nil {
		time.Sleep(lastOnes)
	}
}
