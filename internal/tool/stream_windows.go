package tool

import (
	"io"
	"os"
	"time"
)

// A stream is a file to which the processes of a tool append. Windows has no
// pipes that scripts can append to, so the server looks at it now and then.
type stream struct {
	file *os.File
	end  chan struct{}
	done chan struct{}
}

const lookEvery = 100 * time.Millisecond

// listen makes the stream and passes each of its lines to l.
func (f folder) listen(l *listener) (*stream, error) {
	file, err := os.OpenFile(f.stream(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	s := &stream{file: file, end: make(chan struct{}), done: make(chan struct{})}
	go s.read(l)
	return s, nil
}

// stop returns when everything that was written so far has been heard.
func (s *stream) stop() {
	close(s.end)
	<-s.done
	s.file.Close()
}

func (s *stream) read(l *listener) {
	defer close(s.done)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-s.end:
			ended = true
		case <-tick.C:
		}
		if b, err := io.ReadAll(s.file); err == nil {
			l.hear(b)
		}
	}
}
