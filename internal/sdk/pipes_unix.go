//go:build unix

package sdk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// pipes are the open files of a channel. The tool gets five of them:
//
//	requests   it writes what it wants
//	hold       the other end of that, which it never reads: while it has that open, a
//	           write cannot end it with SIGPIPE when the server is gone
//	replies    it reads what it gets, and the end of file when the server is gone
//	lock       it takes the token out before it writes a request
//	unlock     and puts it back when it has the reply
type pipes struct {
	requests *os.File // our end
	replies  int      // our end, in non-blocking mode
	ends     [5]int
	files    [5]*os.File // of the ends
}

// newPipes returns the pipes of a channel. It uses few system calls, since it runs for every call of a tool.
func newPipes() (*pipes, error) {
	p := &pipes{replies: -1, ends: [5]int{-1, -1, -1, -1, -1}}
	requests := -1
	err := pipe(&requests, &p.ends[0])
	err = errors.Join(err, pipe(&p.ends[2], &p.replies))
	err = errors.Join(err, pipe(&p.ends[3], &p.ends[4]))
	if err == nil {
		err = errors.Join(unix.SetNonblock(requests, true), unix.SetNonblock(p.replies, true))
	}
	if err == nil {
		// A duplicate of requests: os would put that itself into blocking mode when it
		// starts the tool, and the server's reads could not be interrupted.
		p.ends[1], err = unix.FcntlInt(uintptr(requests), unix.F_DUPFD_CLOEXEC, 0)
	}
	if err != nil {
		for _, fd := range append(p.ends[:], requests, p.replies) {
			if fd >= 0 {
				unix.Close(fd)
			}
		}
		return nil, fmt.Errorf("cannot make the pipes of a tool call: %w", err)
	}
	p.requests = os.NewFile(uintptr(requests), "requests")
	for i, fd := range p.ends {
		p.files[i] = os.NewFile(uintptr(fd), "channel")
	}
	return p, nil
}

func (p *pipes) close() {
	p.requests.Close()
	for _, f := range p.files {
		f.Close()
	}
	unix.Close(p.replies)
}

// reply writes a line for the tool. A line that does not fit, since hundreds before it
// have not been read, is dropped: the helper that waits for it asks again.
func (p *pipes) reply(line []byte) { unix.Write(p.replies, line) }

// free reports whether the token is in the lock.
func (p *pipes) free() bool { return isReady(p.ends[3], unix.POLLIN) }

// quiet reports whether no reply waits to be read.
func (p *pipes) quiet() bool { return !isReady(p.ends[2], unix.POLLIN) }

// isReady reports whether a descriptor can be read or written without waiting.
func isReady(fd int, events int16) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, 0)
	return err != nil || n > 0
}

// modes are how the ends are open.
var modes = [5]int{unix.O_WRONLY, unix.O_RDONLY | unix.O_NONBLOCK, unix.O_RDONLY, unix.O_RDONLY, unix.O_WRONLY}

// restore takes the token out of the lock, and reports whether the pipes are as new then. They are not
// if the tool left something in them, did not put the token back, or changed how they are open. No process
// of it may be left.
func (p *pipes) restore(token byte) bool {
	for i, fd := range p.ends {
		if mode, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || mode != modes[i] {
			return false
		}
	}
	fds := []unix.PollFd{{Fd: int32(p.ends[1])}, {Fd: int32(p.ends[2])}, {Fd: int32(p.ends[3])}}
	for i := range fds {
		fds[i].Events = unix.POLLIN
	}
	n, err := unix.Poll(fds, 0)
	if err != nil || n != 1 || fds[2].Revents != unix.POLLIN { // otherwise the read would wait
		return false
	}
	var tokens [2]byte
	n, err = unix.Read(p.ends[3], tokens[:])
	return err == nil && n == 1 && tokens[0] == token
}

// unlock puts a token into the lock, unless the tool has filled that: the write would wait for ever.
func (p *pipes) unlock(token byte) {
	if isReady(p.ends[4], unix.POLLOUT) {
		unix.Write(p.ends[4], []byte{token})
	}
}

// makeFIFO creates a named pipe and returns it open, so that a reader does not block when
// it opens it, and gets the end of file when the server closes it.
func makeFIFO(path string) (*os.File, error) {
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// the tool has put something else there
	if info, err := f.Stat(); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is not the pipe that the server made")}
	}
	return f, nil
}

// answerThrough writes a line to a FIFO. There is room for it unless the tool has filled that itself.
func answerThrough(fifo *os.File, line []byte) {
	if raw, err := fifo.SyscallConn(); err == nil {
		_ = raw.Write(func(fd uintptr) bool { unix.Write(int(fd), line); return true })
	}
}
