package serving

import (
	"os"

	"golang.org/x/sys/unix"
)

// WhenUnread calls f once when the reading end of a pipe or socket is closed, even if
// nothing is written. For other files it may never call f. The watch ends with the process.
//
// The file itself is not given to Go's poller, because that would make it non-blocking for every
// process that has it. An epoll of our own is, which takes no thread.
func WhenUnread(file *os.File, f func()) {
	watch, err := watchEnd(file)
	if err != nil {
		return
	}
	events, err := watch.SyscallConn()
	if err != nil {
		watch.Close()
		return
	}
	go func() {
		defer watch.Close()
		if events.Read(hasEvent) == nil {
			f()
		}
	}()
}

// hasEvent reports whether an epoll has an event.
func hasEvent(epoll uintptr) bool {
	n, err := unix.EpollWait(int(epoll), make([]unix.EpollEvent, 1), 0)
	return err == nil && n > 0
}

// watchEnd returns an epoll that has an event when nobody can read a file any more.
func watchEnd(file *os.File) (*os.File, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := add(epoll, file); err != nil {
		unix.Close(epoll)
		return nil, err
	}
	return os.NewFile(uintptr(epoll), "end of "+file.Name()), nil
}

// add adds a file to an epoll, for its end alone, which is always reported.
func add(epoll int, file *os.File) error {
	if err := unix.SetNonblock(epoll, true); err != nil { // for Go's poller
		return err
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	if failed := conn.Control(func(fd uintptr) {
		err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, int(fd), &unix.EpollEvent{Fd: int32(fd)})
	}); failed != nil {
		return failed
	}
	return err
}
