package sdk

import "sync"

// spare holds pipes for the next channel, so that its call need not wait until they are made.
type spare struct {
	mu     sync.Mutex
	pipes  *pipes // nil: none
	closed bool
}

// Prepare makes the pipes for the next channel, unless there are some already. Call it when no client
// is waiting. If it fails, the next call makes its own pipes, and reports errors.
func (s *Server) Prepare() {
	s.spare.mu.Lock()
	defer s.spare.mu.Unlock()
	if s.spare.pipes == nil && !s.spare.closed {
		s.spare.pipes, _ = newPipes()
	}
}

// Close closes the pipes for the next channel, and disables Prepare. For a nil Server it does nothing.
func (s *Server) Close() {
	if s == nil {
		return
	}
	s.spare.mu.Lock()
	s.spare.closed = true
	s.spare.mu.Unlock()
	if p := s.spare.take(); p != nil {
		p.close()
	}
}

func (s *spare) take() *pipes {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pipes
	s.pipes = nil
	return p
}
