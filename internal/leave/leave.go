// Package leave leaves open files to the system at the end of a process.
//
// Closing the last descriptor of a file may take long: that of an inotify instance waits for the kernel
// to synchronize, that of a removed folder until the disk has forgotten its blocks. A process that ends
// would wait for that too.
package leave

import "syscall"

// Open takes care that neither closing a file nor the end of the process, which must come soon, has to
// wait until the system has released it. The caller closes its descriptor as usual, or not at all. If the
// system has no such way, or no room, nothing is different.
func Open(file syscall.Conn) {
	if conn, err := file.SyscallConn(); err == nil {
		_ = conn.Control(leave)
	}
}
