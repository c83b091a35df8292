//go:build unix

package tool

import (
	"os"
	"syscall"
	"time"
)

// A stream is a pipe with a name: what any process of a tool appends to it is
// heard at once, line by line.
type stream struct {
	pipe *os.File
	done chan struct{}
}

// listen makes the stream and passes each of its lines to l.
func (f folder) listen(l *listener) (*stream, error) {
	if err := syscall.Mkfifo(f.stream(), 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: f.stream(), Err: err}
	}
	// Open for writing too, so that it has no end while nobody writes.
	pipe, err := os.OpenFile(f.stream(), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	s := &stream{pipe: pipe, done: make(chan struct{})}
	go s.read(l)
	return s, nil
}

// stop returns when everything that was written so far has been heard.
func (s *stream) stop() {
	s.pipe.SetReadDeadline(time.Now())
	<-s.done
	s.pipe.Close()
}

func (s *stream) read(l *listener) {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		n, err := s.pipe.Read(buf)
		l.hear(buf[:n])
		if err != nil {
			break
		}
	}
	s.pipe.SetReadDeadline(time.Time{})
	rest, err := s.pipe.SyscallConn()
	if err != nil {
		return
	}
	for n := 1; n > 0; {
		rest.Read(func(fd uintptr) bool {
			n, _ = syscall.Read(int(fd), buf)
			return true // never wait
		})
		if n > 0 {
			l.hear(buf[:n])
		}
	}
}
