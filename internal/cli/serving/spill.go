package serving

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Spill passes what is written to it on to another writer, which may not be read, without blocking: a goroutine
// writes, that runs while there is something to write. While the other writer blocks, up to a limit is kept in
// memory. What exceeds it is dropped, in whole lines, and a line in its place reports how many:
//
//	mcp-bash: 12 lines for stderr were dropped: nobody read it
//
// What cannot be written is dropped too. A Spill is safe for concurrent use.
type Spill struct {
	to    io.Writer
	limit int

	mu      sync.Mutex
	queue   []byte
	dropped int           // lines since the queue was last taken
	closed  bool          // nothing more is accepted
	idle    chan struct{} // is closed when everything is written; nil while there is nothing to write
}

// NewSpill returns a writer to w that keeps up to limit bytes, and as many again that are
// being written.
func NewSpill(w io.Writer, limit int) *Spill { return &Spill{to: w, limit: limit} }

// Write queues what there is room for. It never blocks or fails.
func (s *Spill) Write(p []byte) (int, error) {
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
	if s.idle == nil && !s.closed && len(p) > 0 {
		s.idle = make(chan struct{})
		go s.pump()
	}
	return len(p), nil
}

// Close accepts nothing more, and waits at most this long until what is kept is written.
func (s *Spill) Close(within time.Duration) {
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
func (s *Spill) pump() {
	for batch := s.take(); len(batch) > 0; batch = s.take() {
		s.to.Write(batch) // an error cannot be reported
	}
}

// take returns what is to be written. If that is nothing, the pump ends.
func (s *Spill) take() (batch []byte) {
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
