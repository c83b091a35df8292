//go:build unix

package run

import (
	"os"
	"syscall"
	"time"
)

// A stream is a pipe with a name: what any process of a tool appends to it is
// heard at once, line by line. It serves one call after the other.
type stream struct {
	file *os.File
	done chan struct{} // closed when all was heard; one for each call
}

// pipeSize is the most that a pipe holds, unless root raised the limit.
const pipeSize = 1 << 20

func newStream(path string) (*stream, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	// Open for writing too, so that it has no end while nobody writes.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &stream{file: pipe}, nil
}

func (s *stream) close() { s.file.Close() }

// listen passes the lines that are written from now on to l.
func (s *stream) listen(l *listener) {
	s.done = make(chan struct{})
	go s.read(l)
}

// stop returns when everything that was written so far has been heard.
func (s *stream) stop() {
	s.file.SetReadDeadline(time.Now())
	<-s.done
}

func (s *stream) read(l *listener) {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		n, err := s.file.Read(buf)
		l.hear(buf[:n])
		if err != nil {
			break
		}
	}
	s.file.SetReadDeadline(time.Time{})
	rest, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	// No more than a pipe holds: a process that cannot be ended may still write.
	for n, left := 1, pipeSize; n > 0 && left > 0; left -= n {
		rest.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), buf)
			return true // never wait
		})
		if n > 0 {
			l.hear(buf[:n])
		}
	}
}
