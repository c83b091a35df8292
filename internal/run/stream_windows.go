package run

import (
	"io"
	"os"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A stream is a file to which the processes of a tool append. Windows has no
// pipes that scripts can append to, so the server polls the file.
type stream struct {
	file *os.File
	end  chan struct{}
	done chan struct{}
}

const pollInterval = 100 * time.Millisecond

func newStream(path string) (*stream, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &stream{file: file}, nil
}

func (s *stream) close() { s.file.Close() }

// listen passes the lines that are written from now on to l.
func (s *stream) listen(l *listener) []process.Copy {
	s.end, s.done = make(chan struct{}), make(chan struct{})
	go s.read(l)
	return nil
}

// stop returns when l has got everything that was written so far.
func (s *stream) stop() {
	close(s.end)
	<-s.done
}

func (s *stream) read(l *listener) {
	defer close(s.done)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-s.end:
			ended = true
		case <-tick.C:
		}
		if b, err := io.ReadAll(s.file); err == nil {
			l.Write(b)
		}
	}
}
