package sdk

import "sync"

// spare holds pipes for the next channels, so that a call need not wait until they are made. Most are
// those of earlier channels.
type spare struct {
	mu     sync.Mutex
	pipes  []*pipes
	closed bool
}

// maxSpare is the most that are kept: the more files the server has open, the longer it takes to start a program.
const maxSpare = 4

// Prepare makes the pipes for the next channel, unless there are some already. Call it when no client
// is waiting. If it fails, the next call makes its own pipes, and reports errors.
func (s *Server) Prepare() {
	s.spare.mu.Lock()
	defer s.spare.mu.Unlock()
	if len(s.spare.pipes) > 0 || s.spare.closed {
		return
	}
	if p, _ := newPipes(); p != nil {
		s.spare.pipes = append(s.spare.pipes, p)
	}
}

// Close closes the pipes for the next channels, and keeps none from now on. For a nil Server it does nothing.
func (s *Server) Close() {
	if s == nil {
		return
	}
	s.spare.mu.Lock()
	defer s.spare.mu.Unlock()
	for _, p := range s.spare.pipes {
		p.close()
	}
	s.spare.pipes, s.spare.closed = nil, true
}

func (s *spare) take() *pipes {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.pipes) - 1
	if last < 0 {
		return nil
	}
	p := s.pipes[last]
	s.pipes = s.pipes[:last]
	return p
}

// put keeps pipes that are as new, and reports whether there is room for them.
func (s *spare) put(p *pipes) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.pipes) >= maxSpare {
		return false
	}
	s.pipes = append(s.pipes, p)
	return true
}
