// Package spill is a non-blocking writer for files that may not be read.
package spill

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Writer passes what is written to it on to another writer, in a goroutine of its
// own: Write never blocks. While the other writer blocks, up to a limit is kept in
// memory. What exceeds it is dropped, in whole lines, and a line in its place reports
// how many:
//
//	mcp-bash: 12 lines for stderr were dropped: nobody read it
//
// What cannot be written is dropped too. A Writer is safe for concurrent use.
type Writer struct {
	to    io.Writer
	limit int

	mu      sync.Mutex
	queue   []byte
	dropped int           // lines since the queue was last taken
	closed  bool          // nothing more is accepted
	more    chan struct{} // has room for one: there is something to write
	done    chan struct{} // is closed when everything is written after Close
}

// New returns a writer to w that keeps up to limit bytes, and as many again that are
// being written. It must be closed.
func New(w io.Writer, limit int) *Writer {
	s := &Writer{to: w, limit: limit, more: make(chan struct{}, 1), done: make(chan struct{})}
	go s.pump()
	return s
}

// Write queues what there is room for. It never blocks or fails.
func (s *Writer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range bytes.Lines(p) {
		// After a dropped line all others are dropped, until the report can be written in its place.
		if s.closed || s.dropped > 0 || len(s.queue)+len(line) > s.limit {
			s.dropped++
			continue
		}
		s.queue = append(s.queue, line...)
	}
	s.wake()
	return len(p), nil
}

// Close accepts nothing more, and waits at most this long until what is kept is written.
func (s *Writer) Close(within time.Duration) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wake()
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-s.done:
	case <-late.C:
	}
}

func (s *Writer) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// pump writes until everything is written after Close.
func (s *Writer) pump() {
	defer close(s.done)
	for range s.more {
		batch, closed := s.take()
		if len(batch) > 0 {
			s.to.Write(batch) // an error cannot be reported
		}
		if closed {
			return
		}
	}
}

// take returns what is to be written, and whether that is all there will ever be.
func (s *Writer) take() (batch []byte, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, s.queue = s.queue, nil
	if s.dropped > 0 {
		if n := len(batch); n > 0 && batch[n-1] != '\n' {
			batch = append(batch, '\n')
		}
		batch = fmt.Appendf(batch, "mcp-bash: %d lines for stderr were dropped: nobody read it\n", s.dropped)
		s.dropped = 0
	}
	return batch, s.closed
}
