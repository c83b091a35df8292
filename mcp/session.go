package mcp

import "sync"

// A Session is what one client and the server have agreed on, from initialize
// until the process ends. It is safe for concurrent use; the zero value is one
// that nobody has opened.
type Session struct {
	mu       sync.Mutex
	phase    Phase
	opened   bool          // initialize was answered
	ready    chan struct{} // closed when the client has confirmed; nil: nobody waits for that
	once     sync.Once     // closes it
	revision *Revision
	client   ClientCapabilities
	level    Level
}

// Phase is how far a session has come.
type Phase uint8

const (
	Unopened Phase = iota // before initialize
	Opening               // initialize is answered, the client has not confirmed
	Ready                 // notifications/initialized has come
	Closing               // shutdown is answered, perhaps before initialize
)

// Phase tells how far the session has come.
func (s *Session) Phase() Phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

// Open agrees on a revision and notes what the client can do.
func (s *Session) Open(r *Revision, c ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.opened, s.revision, s.client = Opening, true, r, c
}

// Confirm notes that the client is ready. It reports whether that is news.
func (s *Session) Confirm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != Opening {
		return false
	}
	s.phase = Ready
	s.once.Do(func() { close(s.confirmed()) })
	return true
}

// Ready returns what is closed when the client has confirmed the session.
func (s *Session) Ready() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.confirmed()
}

// confirmed is what Ready returns. s.mu is held.
func (s *Session) confirmed() chan struct{} {
	if s.ready == nil {
		s.ready = make(chan struct{})
	}
	return s.ready
}

// Opened reports whether there is or was a session: whether initialize was
// answered.
func (s *Session) Opened() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Close notes that the client has asked to shut down.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = Closing
}

// Revision returns the revision agreed on, the newest before there is one.
func (s *Session) Revision() *Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.revision == nil {
		return Latest()
	}
	return s.revision
}

// Client returns what the client said it can do.
func (s *Session) Client() ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// Level returns the lowest log level the client wants, info until it says.
func (s *Session) Level() Level {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.level == "" {
		return Info
	}
	return s.level
}

// SetLevel sets the lowest log level the client wants.
func (s *Session) SetLevel(l Level) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = l
}
