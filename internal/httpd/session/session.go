// Package session carries the conversation of one client over many HTTP requests: it passes the
// client's messages to its server, and each message of the server to the stream that it belongs to.
//
// A request of the client has an [Exchange], whose stream carries the messages that the server writes
// because of that request, and ends with its response. All others go to the common stream, which
// clients open with GET.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/events"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

var (
	// ErrDuplicate is the error for a request with the id of an unanswered request, even if its client
	// no longer waits for the answer.
	ErrDuplicate = errors.New("a request with this id may still be running; use another id")
	// ErrBusy is the error for a request of a session with too many unanswered requests.
	ErrBusy = errors.New("too many requests of this session are not answered yet")
)

// Limits bound a session's resources. All of them are required.
type Limits struct {
	Exchanges int // unanswered requests
	Buffer    int // unsent bytes
	Keep      int // sent bytes that the client can ask for again
}

// A Session is one client's conversation with a server of its own. Its methods may be called from
// several goroutines.
type Session struct {
	id, owner string
	limits    Limits
	log       *slog.Logger
	conn      backend.Conn
	events    *events.Log
	common    *events.Stream
	closing   func()        // closes the next one
	closed    chan struct{} // closed when Close was called
	done      chan struct{} // closed when the server has ended and its calls have failed, or after closed

	mu       sync.Mutex
	calls    map[string]*call // unanswered, by the keys of their ids
	newest   []*Exchange      // with unanswered calls, oldest first
	left     leftCalls        // that the client no longer waits for
	revision *mcp.Revision    // nil until it is agreed on
	used     int              // HTTP requests in progress
	idle     *time.Timer      // nil if the session has no idle timeout
	patience time.Duration    // the duration of idle
	ended    bool
}

// A call is a request of the client.
type call struct {
	exchange   *Exchange
	initialize bool
	sent       bool   // the server may know it
	token      string // for progress, as it was sent; empty: none
}

// An Exchange is one HTTP request of the client with one or more calls.
type Exchange struct {
	Stream  *events.Stream
	session *Session
	open    int // unanswered calls; guarded by session.mu
}

// Open begins a session with a server of its own.
func Open(o backend.Opener, limits Limits, log *slog.Logger) (*Session, error) {
	s := &Session{
		limits: limits, log: log, calls: make(map[string]*call), left: leftCalls{max: limits.Exchanges},
		events: events.NewLog(limits.Buffer, limits.Keep),
		closed: make(chan struct{}), done: make(chan struct{}),
	}
	s.closing = sync.OnceFunc(func() { close(s.closed) })
	s.common = s.events.Open()
	ready := make(chan struct{})
	conn, err := o.Open(func(line []byte, cause string) {
		<-ready
		s.receive(line, cause)
	})
	if err != nil {
		return nil, err
	}
	s.conn = conn
	close(ready)
	go func() {
		defer close(s.done)
		select {
		case <-conn.Done():
			s.fail(conn.Err())
		case <-s.closed: // a connection of a pool lasts longer than the session
		}
	}()
	return s, nil
}

// ID returns the session's id for clients, "" if it has none.
func (s *Session) ID() string { return s.id }

// Revision returns the revision that the client and its server have agreed on, nil before they have.
func (s *Session) Revision() *mcp.Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// Common returns the stream of messages that do not belong to a request.
func (s *Session) Common() *events.Stream { return s.common }

// Resume returns a stream and a reader that begins after an event that the client has.
func (s *Session) Resume(lastID string) (*events.Stream, *events.Reader, error) {
	return s.events.Resume(lastID)
}

// Done is closed when the session's server has ended and its calls were answered with an error, or when
// the session is closed.
func (s *Session) Done() <-chan struct{} { return s.done }

// Post sends messages of the client to the server. The exchange is for the calls among them, nil if
// there are none.
func (s *Session) Post(ctx context.Context, messages ...*pipeline.Message) (*Exchange, error) {
	e, err := s.begin(messages)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if err := s.send(ctx, m); err != nil {
			if e != nil {
				e.Abandon()
			}
			return nil, err
		}
	}
	return e, nil
}

// send passes a message to the server. A cancellation applies before the server has it, as the end of
// the call may be known at once.
func (s *Session) send(ctx context.Context, m *pipeline.Message) error {
	switch {
	case m.Kind() == pipeline.Call:
		s.mark(m, true)
	case m.Kind() == pipeline.Notification && m.Method() == "notifications/cancelled":
		s.cancelled(m)
	}
	err := s.conn.Send(ctx, m.Line())
	if err != nil && m.Kind() == pipeline.Call {
		s.mark(m, false)
	}
	return err
}

// mark records whether the server may know a call.
func (s *Session) mark(m *pipeline.Message, sent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[m.ID().Key()]; c != nil {
		c.sent = sent
	}
}

// begin records the calls among messages, all or none.
func (s *Session) begin(messages []*pipeline.Message) (*Exchange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &Exchange{session: s}
	seen := make(map[string]bool)
	for _, m := range messages {
		if m.Kind() != pipeline.Call {
			continue
		}
		key := m.ID().Key()
		if s.calls[key] != nil || seen[key] || s.left.has(key) {
			return nil, ErrDuplicate
		}
		seen[key] = true
	}
	switch {
	case s.ended:
		return nil, backend.ErrEnded
	case len(seen) == 0:
		return nil, nil
	case len(s.calls)+len(seen) > s.limits.Exchanges:
		return nil, ErrBusy
	}
	e.Stream = s.events.Open()
	e.open = len(seen)
	for _, m := range messages {
		if m.Kind() == pipeline.Call {
			s.calls[m.ID().Key()] = &call{exchange: e, initialize: m.Method() == "initialize", token: token(m)}
		}
	}
	s.newest = append(s.newest, e)
	return e, nil
}

// Abandon drops an exchange whose messages will not be read. The ids of its calls are taken until the
// server has answered them.
func (e *Exchange) Abandon() {
	s := e.session
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, c := range s.calls {
		if c.exchange != e {
			continue
		}
		delete(s.calls, key)
		if c.sent {
			s.left.add(key)
		}
	}
	s.leave(e)
	e.Stream.Drop()
}

// leave removes an exchange from those with unanswered calls. s.mu is held.
func (s *Session) leave(e *Exchange) {
	for i, one := range s.newest {
		if one == e {
			s.newest = append(s.newest[:i:i], s.newest[i+1:]...)
			return
		}
	}
}

// token returns the progress token of a call.
func token(m *pipeline.Message) string {
	return string(pipeline.Member(pipeline.Member(m.Params(), "_meta"), "progressToken"))
}

// cancelled ends the stream of a call that the client has cancelled, as it gets no answer. The id is
// taken as long as the server may still run the call.
func (s *Session) cancelled(m *pipeline.Message) {
	id, ok := pipeline.ParseID(pipeline.Member(m.Params(), "requestId"))
	if !ok {
		return
	}
	s.mu.Lock()
	c := s.calls[id.Key()]
	if c == nil || c.initialize || !c.sent {
		s.mu.Unlock()
		return
	}
	last := s.close(id.Key(), c)
	s.left.add(id.Key())
	s.mu.Unlock()
	if last {
		c.exchange.Stream.End()
	}
}

// close marks a call as answered, and reports whether it was the last one of its exchange. s.mu is
// held.
func (s *Session) close(key string, c *call) (last bool) {
	delete(s.calls, key)
	if c.exchange.open--; c.exchange.open > 0 {
		return false
	}
	s.leave(c.exchange)
	return true
}

// receive passes a message of the server to its stream.
func (s *Session) receive(line []byte, cause string) {
	if line == nil {
		s.over(cause)
		return
	}
	m := pipeline.Parse(line)
	var to *events.Stream
	last := false
	switch m.Kind() {
	case pipeline.Response:
		to, last = s.answered(m)
	case pipeline.Call, pipeline.Notification:
		to = s.streamFor(m, cause)
	case pipeline.Batch:
		for one := range m.Items() {
			s.receive(one.Line(), cause)
		}
		return
	}
	if to == nil {
		s.log.Debug("a message of the server is dropped: nobody waits for it", "kind", m.Kind(), "method", m.Method(), "id", m.ID())
		return
	}
	add := to.Append
	if last {
		add = to.Finish
	}
	_ = add(line) // fails if the call was cancelled or the session has ended
}

// over frees the id of a call that has ended without an answer.
func (s *Session) over(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left.remove(key)
}

// answered returns the stream for a response, and whether the response is the last of the stream.
func (s *Session) answered(m *pipeline.Message) (to *events.Stream, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[m.ID().Key()]
	if c == nil {
		s.left.remove(m.ID().Key())
		return nil, false
	}
	if c.initialize {
		var version string
		if json.Unmarshal(pipeline.Member(m.Result(), "protocolVersion"), &version) == nil {
			s.revision = mcp.Lookup(version)
		}
	}
	return c.exchange.Stream, s.close(m.ID().Key(), c)
}

// streamFor returns the stream for a request or a notification of the server.
func (s *Session) streamFor(m *pipeline.Message, cause string) *events.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	method := m.Method()
	if cause == "" && method == "notifications/progress" {
		cause = s.progressOf(m)
	}
	switch c := s.calls[cause]; {
	case c != nil && c.initialize:
		return s.common // its answer is a single message
	case c != nil:
		return c.exchange.Stream
	case method == "notifications/progress", cause != "" && method == "notifications/message":
		return nil // its call is answered, or cancelled
	case cause != "", strings.HasSuffix(method, "/list_changed"), method == "notifications/resources/updated":
		return s.common
	case s.initializing():
		return s.common
	case len(s.newest) == 1:
		return s.newest[0].Stream // most likely its cause
	case len(s.newest) > 0 && !s.common.Active():
		return s.newest[len(s.newest)-1].Stream
	}
	return s.common
}

// initializing reports whether initialize is not answered yet. s.mu is held.
func (s *Session) initializing() bool {
	for _, c := range s.calls {
		if c.initialize {
			return true
		}
	}
	return false
}

// progressOf returns the key of the call that a progress notification is about. s.mu is held.
func (s *Session) progressOf(m *pipeline.Message) string {
	token := string(pipeline.Member(m.Params(), "progressToken"))
	for key, c := range s.calls {
		if token != "" && c.token == token {
			return key
		}
	}
	return ""
}

// fail answers all unanswered calls with an error, as their server has ended.
func (s *Session) fail(why error) {
	s.mu.Lock()
	s.ended = true
	var failures []func()
	for key, c := range s.calls {
		add := c.exchange.Stream.Append
		if s.close(key, c) {
			add = c.exchange.Stream.Finish
		}
		id, _ := pipeline.ParseID([]byte(key))
		line := pipeline.NewErrorResponse(id, fmt.Errorf("%w: %w", pipeline.ErrInternal, why)).Line()
		failures = append(failures, func() { _ = add(line) }) // fails only for a session that was closed
	}
	s.mu.Unlock()
	for _, fail := range failures {
		fail()
	}
	s.common.End()
}

// Close ends the session with its server, and returns when both have ended.
func (s *Session) Close() {
	s.mu.Lock()
	s.ended = true
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	s.closing()
	s.events.Close()
	s.conn.Close()
}
