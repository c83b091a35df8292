// Package spill is a non-blocking writer for files that may not be read.
package spill

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// A Writer passes what is written to it on to another writer, without blocking: what a file does not
// take at once is written by a goroutine that runs while there is something to write. While the other
// writer blocks, up to a limit is kept in memory. What exceeds it is dropped, in whole
// lines, and a line in its place reports how many:
//
//	mcp-bash: 12 lines for stderr were dropped: nobody read it
//
// What cannot be written is dropped too. A Writer is safe for concurrent use.
type Writer struct {
	to    io.Writer
	file  syscall.RawConn // of to; nil if that is not a file
	limit int

	mu      sync.Mutex
	queue   []byte
	dropped int           // lines since the queue was last taken
	closed  bool          // nothing more is accepted
	idle    chan struct{} // is closed when everything is written; nil while there is nothing to write
}

// New returns a writer to w that keeps up to limit bytes, and as many again that are
// being written.
func New(w io.Writer, limit int) *Writer {
	s := &Writer{to: w, limit: limit}
	if file, ok := w.(syscall.Conn); ok {
		s.file, _ = file.SyscallConn()
	}
	return s
}

// Write writes what can be written at once, and queues what there is room for. It never blocks or fails.
func (s *Writer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	if s.idle == nil && !s.closed && s.file != nil && n <= s.limit { // what is left of it can be kept
		p = p[writeNow(s.file, p):]
	}
	for line := range bytes.Lines(p) {
		// After a dropped line all others are dropped, until the report can be written in its place.
		if s.closed || s.dropped > 0 || len(s.queue)+len(line) > s.limit {
			s.dropped++
			continue
		}
		s.queue = append(s.queue, line...)
	}
	if s.idle == nil && !s.closed && len(p) > 0 {
		s.idle = make(chan struct{})
		go s.pump()
	}
	return n, nil
}

// Close accepts nothing more, and waits at most this long until what is kept is written.
func (s *Writer) Close(within time.Duration) {
	s.mu.Lock()
	s.closed = true
	idle := s.idle
	s.mu.Unlock()
	if idle == nil {
		return
	}
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-idle:
	case <-late.C:
	}
}

// pump writes until there is nothing to write.
func (s *Writer) pump() {
	for batch := s.take(); len(batch) > 0; batch = s.take() {
		s.to.Write(batch) // an error cannot be reported
	}
}

// take returns what is to be written. If that is nothing, the pump ends.
func (s *Writer) take() (batch []byte) {
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
	if len(batch) == 0 {
		close(s.idle)
		s.idle = nil
	}
	return batch
}
