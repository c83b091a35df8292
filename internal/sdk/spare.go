package sdk

import "sync"

// spare are the pipes that wait for the next channel, so that a call which comes finds them made.
type spare struct {
	mu     sync.Mutex
	pipes  *pipes // nil: none
	closed bool
}

// Prepare makes the pipes of the next channel, unless they wait already. It is for the time
// when nobody waits for the server. That it fails is for the next call to see.
func (s *Server) Prepare() {
	s.spare.mu.Lock()
	defer s.spare.mu.Unlock()
	if s.spare.pipes == nil && !s.spare.closed {
		s.spare.pipes, _ = newPipes()
	}
}

// Close closes what waits for the next channel. No more is made to wait. A nil Server has nothing.
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
