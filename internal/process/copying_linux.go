package process

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A source is the server's end of a pipe that the command writes to. It is read only when
// there is something to read, so it need not be non-blocking.
type source int

func newPipe() (source, *os.File, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, nil, os.NewSyscallError("pipe2", err)
	}
	return source(p[0]), os.NewFile(uintptr(p[1]), "|1"), nil
}

// sourceOf returns a source for a file, which must stay open meanwhile.
func sourceOf(f *os.File) (source, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return -1, err
	}
	from := source(-1)
	err = raw.Control(func(fd uintptr) { from = source(fd) })
	return from, err
}

func (s source) Close() error { return unix.Close(int(s)) }

// A loop is an event loop: with it, one goroutine waits for all events of a command, which
// are output and its end.
//
// It is an epoll instance that is itself watched by the poller of the Go runtime: a waiting
// goroutine takes no thread, and on an event no other goroutine has to be woken up, which
// would be the main cost of a goroutine per pipe: a call gains about 5 %.
type loop struct {
	fd     int
	file   *os.File // of fd
	conn   syscall.RawConn
	events [8]unix.EpollEvent
	buf    *buffer
}

func newLoop() (*loop, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	err = unix.SetNonblock(fd, true) // the runtime's poller takes only non-blocking files
	l := &loop{fd: fd, file: os.NewFile(uintptr(fd), "epoll"), buf: buffers.Get().(*buffer)}
	if err == nil {
		err = l.file.SetReadDeadline(time.Time{}) // fails if the poller does not watch it
	}
	if err == nil {
		l.conn, err = l.file.SyscallConn()
	}
	if err != nil {
		l.file.Close()
		return nil, err
	}
	return l, nil
}

// add starts watching a descriptor. Its events have the given number.
func (l *loop) add(fd, number int, events uint32) error {
	e := unix.EpollEvent{Events: events, Fd: int32(number)}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(l.fd, unix.EPOLL_CTL_ADD, fd, &e))
}

// remove stops watching a descriptor. Closing it is not enough: a process that is just being
// started may hold it for a moment.
func (l *loop) remove(fd int) { unix.EpollCtl(l.fd, unix.EPOLL_CTL_DEL, fd, nil) }

// wait calls f now and after each event, until f returns true or wake is called.
func (l *loop) wait(f func() bool) {
	l.conn.Read(func(uintptr) bool { return f() })
}

func (l *loop) waitUntil(t time.Time, f func() bool) {
	l.file.SetReadDeadline(t)
	l.wait(f)
	l.file.SetReadDeadline(time.Time{})
}

// wake makes wait return, also if it is called later.
func (l *loop) wake() { l.file.SetReadDeadline(time.Unix(1, 0)) }

// copying is the state of one goroutine that reads all outputs.
type copying struct {
	loop  *loop
	open  int         // outputs before their end of file
	ended atomic.Bool // the command has ended
	heard bool        // something was read in the last pause
}

// processEvent is the number of the event in the loop that the command has ended. The outputs
// are numbered by their index.
const processEvent = -1

// holdsPipes means that the server keeps the command's ends of the pipes open until the command has
// ended. Otherwise each pipe would report its end of file while the command is ending, and wake the
// goroutine each time.
const holdsPipes = true

func (s *streams) prepare() (err error) {
	s.loop, err = newLoop()
	return err
}

// watch starts watching the last of the outputs.
func (s *streams) watch(o *output) error {
	if !o.lasting {
		s.open++
	}
	return s.loop.add(int(o.from), len(s.outputs)-1, unix.EPOLLIN)
}

// forget stops watching an output, which would report its end again and again.
func (s *streams) forget(o *output) {
	if !o.ended {
		o.ended = true
		if !o.lasting {
			s.open--
		}
		s.loop.remove(int(o.from))
	}
}

// release is called when all outputs are closed.
func (s *streams) release() {
	if s.loop != nil {
		s.loop.file.Close()
		buffers.Put(s.loop.buf)
		s.open, s.heard = 0, false // nothing is read any more
	}
}

// copyUntilEnd copies output until the command has ended, and returns nil. After giveUp it
// returns early, with a channel that is closed when the command ends.
func (s *streams) copyUntilEnd(f family) (stuck <-chan struct{}) {
	s.copyInput()
	var err error
	var later <-chan struct{}
	if f.process().WithHandle(func(pidfd uintptr) {
		err = s.loop.add(int(pidfd), processEvent, unix.EPOLLIN|unix.EPOLLONESHOT)
	}) != nil || err != nil { // Linux before 5.4 has no process descriptors (pidfd)
		later = s.await(f)
	}
	s.loop.wait(func() bool { s.copyNow(); return s.ended.Load() })
	switch {
	case s.ended.Load() && later == nil:
		f.wait()
	case s.ended.Load():
		<-later // after wake
		s.loop.file.SetReadDeadline(time.Time{})
	case later == nil:
		return s.await(f)
	default:
		return later
	}
	return nil
}

// await waits for the command beside the loop, and wakes that. The channel is closed then.
func (s *streams) await(f family) <-chan struct{} {
	later := make(chan struct{})
	go func() {
		defer close(later)
		f.wait()
		s.ended.Store(true)
		s.loop.wake()
	}()
	return later
}

func (s *streams) giveUp() { s.loop.wake() }

// copyNow copies what can be read at once, and reports whether there was anything.
func (s *streams) copyNow() (some bool) {
	for n := len(s.loop.events); n == len(s.loop.events); {
		var err error
		if n, err = unix.EpollWait(s.loop.fd, s.loop.events[:], 0); err == unix.EINTR {
			n = len(s.loop.events)
			continue
		}
		for _, e := range s.loop.events[:max(n, 0)] {
			switch {
			case e.Fd == processEvent:
				s.ended.Store(true)
			case e.Events&unix.EPOLLIN == 0: // it is empty and has no writers
				s.forget(s.outputs[e.Fd])
			default:
				some = true
				s.copyOnce(s.outputs[e.Fd], e.Events)
			}
		}
	}
	return some
}

// copyOnce copies everything that the pipe of an output holds. It must not leave anything: that
// would be reported again only when more is written, and nothing more can be written to a full
// pipe.
func (s *streams) copyOnce(o *output, events uint32) {
	for total := 0; total < len(s.loop.buf); {
		n, err := unix.Read(int(o.from), s.loop.buf[:])
		switch {
		case err == unix.EINTR || err == unix.EAGAIN: // there will be another event
			return
		case n <= 0:
			s.forget(o)
			return
		}
		o.write(s.loop.buf[:n])
		s.heard = true
		total += n
		if n < len(s.loop.buf) && events&unix.EPOLLHUP != 0 { // empty, and without writers
			s.forget(o)
			return
		}
		if n < len(s.loop.buf) || !readable(o.from) {
			return
		}
	}
}

// pause waits, and copies meanwhile.
func (s *streams) pause(d time.Duration) {
	s.heard = false
	if s.open == 0 {
		time.Sleep(d)
		return
	}
	s.loop.waitUntil(time.Now().Add(d), func() bool { s.copyNow(); return s.open == 0 })
}

// unread reports whether there is output to read, or was in the last pause.
func (s *streams) unread() bool { return s.heard }

// copyRest copies until the end of file of all outputs. What the command wrote is in the pipes by
// now, so nothing of it is lost if another process holds an output open. Another process that never
// stops writing cannot block this: then no more than a full pipe is read. With all, the only
// process that can hold an output open is one that another run is just starting; copyRest does not
// wait for it.
func (s *streams) copyRest(all bool) {
	more := s.copyNow()
	if s.open > 0 && !all {
		s.loop.waitUntil(time.Now().Add(drainTime), func() bool { s.copyNow(); return s.open == 0 })
		more = true
	}
	for rounds := pipeSize / len(s.loop.buf); more && rounds > 0; rounds-- {
		more = s.copyNow()
	}
}

// readable reports whether a read would not block: there is data, or the end of file.
func readable(from source) bool {
	fds := []unix.PollFd{{Fd: int32(from), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}
