package mcp

import "sync"

// A Session is the state of the session of one client, from initialize until the process ends. It
// is safe for concurrent use; the zero value is a session that is not open.
type Session struct {
	mu       sync.Mutex
	phase    Phase
	opened   bool          // initialize was answered
	ready    chan struct{} // closed when the client has confirmed; nil: not needed yet
	once     sync.Once     // closes it
	revision *Revision
	client   ClientCapabilities
	level    Level
}

// Phase is the state of a session.
type Phase uint8

const (
	Unopened Phase = iota // before initialize
	Opening               // initialize is answered, the client has not confirmed
	Ready                 // notifications/initialized was received
	Closing               // shutdown is answered, perhaps before initialize
)

// Phase returns the phase of the session.
func (s *Session) Phase() Phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase
}

// Open sets the revision and the capabilities of the client.
func (s *Session) Open(r *Revision, c ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase, s.opened, s.revision, s.client = Opening, true, r, c
}

// Confirm records that the client is ready. It reports whether it was not before.
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

// Ready returns a channel that is closed when the client has confirmed the session.
func (s *Session) Ready() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.confirmed()
}

// confirmed returns the channel of Ready. s.mu is held.
func (s *Session) confirmed() chan struct{} {
	if s.ready == nil {
		s.ready = make(chan struct{})
	}
	return s.ready
}

// Opened reports whether there is or was a session: whether initialize was answered.
func (s *Session) Opened() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Close records that the client has asked to shut down.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = Closing
}

// Revision returns the revision of the session, the newest before there is one.
func (s *Session) Revision() *Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.revision == nil {
		return Latest()
	}
	return s.revision
}

// Client returns the capabilities that the client has declared.
func (s *Session) Client() ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// Level returns the lowest log level the client wants, info by default.
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
