// Package session carries the conversation of one client over many HTTP requests: it passes the
// client's messages to its server, and each message of the server to the stream that it belongs to.
//
// The calls of a session that has an id are numbered: the server sees numbers, and each client its own ids, so that
// clients may use an id for several HTTP requests at a time. A request of the client has an [Exchange], whose stream
// carries the messages that the server writes because of that request, and ends with its response. All others go to the
// common stream, which clients open with GET.
package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/events"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

var (
	// ErrDuplicate is the error for two requests with one id in an array: their answers could not be told
	// apart.
	ErrDuplicate = errors.New("two requests of the array have the same id")
	// ErrBusy is the error for a request of a session with too many unanswered requests.
	ErrBusy = errors.New("too many requests of this session are not answered yet")
)

// Limits bound a session's resources. All but Until are required.
type Limits struct {
	Exchanges int // unanswered requests
	Buffer    int // unsent bytes
	Keep      int // sent bytes that the client can ask for again
	// Until is done when calls may take no longer: those that are open are answered with its cause.
	Until context.Context
}

// over is closed when calls may take no longer; nil: never.
func (l Limits) over() <-chan struct{} {
	if l.Until == nil {
		return nil
	}
	return l.Until.Done()
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
	calls    map[string]*call // unanswered, by the keys of their ids at the server
	last     int64            // number of the newest call
	newest   []*Exchange      // with unanswered calls, oldest first
	revision *mcp.Revision    // nil until it is agreed on
	used     int              // HTTP requests in progress
	idle     *time.Timer      // nil if the session has no idle timeout
	patience time.Duration    // the duration of idle
	ended    bool
}

// A call is a request of the client.
type call struct {
	exchange   *Exchange
	id         pipeline.ID // that the client has given it
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

// Open begins a session of a user with a server of its own.
func Open(o backend.Opener, owner string, limits Limits, log *slog.Logger) (*Session, error) {
	s := &Session{
		limits: limits, log: log, calls: make(map[string]*call),
		events: events.NewLog(limits.Buffer, limits.Keep),
		closed: make(chan struct{}), done: make(chan struct{}),
	}
	s.closing = sync.OnceFunc(func() { close(s.closed) })
	s.common = s.events.Open()
	ready := make(chan struct{})
	conn, err := o.Open(owner, func(line []byte, cause string) {
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
		case <-limits.over():
			s.fail(context.Cause(limits.Until))
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
	e, messages, err := s.begin(messages)
	if err != nil {
		return nil, err
	}
	if s.id != "" {
		ctx = mcp.InSession(ctx, s.id)
	}
	for _, m := range messages {
		if m = s.passed(m); m == nil {
			continue
		}
		if err := s.conn.Send(ctx, m.Line()); err != nil {
			if e != nil {
				e.Abandon()
			}
			return nil, err
		}
	}
	return e, nil
}

// passed returns a message as it is passed to the server, nil if it is not. A cancellation applies before the
// server has it, as the end of the call may be known at once.
func (s *Session) passed(m *pipeline.Message) *pipeline.Message {
	switch {
	case m.Kind() == pipeline.Call:
		s.mu.Lock()
		defer s.mu.Unlock()
		if c := s.calls[m.ID().Key()]; c != nil {
			c.sent = true
		}
	case m.Kind() == pipeline.Notification && m.Method() == "notifications/cancelled":
		return s.cancelled(m)
	}
	return m
}

// begin records the calls among messages, all or none, and returns the messages with the ids that the server is
// to see.
func (s *Session) begin(messages []*pipeline.Message) (e *Exchange, numbered []*pipeline.Message, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[string]bool)
	for _, m := range messages {
		if m.Kind() != pipeline.Call {
			continue
		}
		key := m.ID().Key()
		if seen[key] {
			return nil, nil, ErrDuplicate
		}
		seen[key] = true
	}
	switch {
	case s.ended:
		return nil, nil, backend.ErrEnded
	case len(seen) == 0:
		return nil, messages, nil
	case len(s.calls)+len(seen) > s.limits.Exchanges:
		return nil, nil, ErrBusy
	}
	e = &Exchange{session: s, open: len(seen), Stream: s.events.Open()}
	for _, m := range messages {
		if m.Kind() == pipeline.Call {
			id := m.ID()
			m = s.number(m)
			s.calls[m.ID().Key()] = &call{exchange: e, id: id, initialize: m.Method() == "initialize", token: token(m)}
		}
		numbered = append(numbered, m)
	}
	s.newest = append(s.newest, e)
	return e, numbered, nil
}

// number returns a call with a number of the session as its id. Without a session the id stays: there is only one
// call, and some notifications name it. s.mu is held.
func (s *Session) number(m *pipeline.Message) *pipeline.Message {
	if s.id == "" {
		return m
	}
	s.last++
	line, err := pipeline.SetMember(m.Line(), "id", s.last)
	if err != nil { // it would not be a call
		return m
	}
	return pipeline.Parse(line)
}

// Abandon drops an exchange whose messages will not be read.
func (e *Exchange) Abandon() {
	s := e.session
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, c := range s.calls {
		if c.exchange == e {
			delete(s.calls, key)
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

// cancelled ends the stream of the call that the client has cancelled, as it gets no answer, and returns the
// cancellation for the server, nil if there is no such call. Where several calls have the id nobody knows which is
// meant: then none is cancelled.
func (s *Session) cancelled(m *pipeline.Message) *pipeline.Message {
	id, _ := pipeline.ParseID(pipeline.Member(m.Params(), "requestId"))
	s.mu.Lock()
	var key string
	number := 0
	for k, c := range s.calls {
		if c.id.Key() == id.Key() && c.sent && !c.initialize {
			key = k
			number++
		}
	}
	if number != 1 {
		s.mu.Unlock()
		s.log.Debug("a cancellation is dropped", "id", id, "calls with this id", number)
		return nil
	}
	c := s.calls[key]
	last := s.close(key, c)
	s.mu.Unlock()
	if last {
		c.exchange.Stream.End()
	}
	params, err := pipeline.SetMember(m.Params(), "requestId", json.RawMessage(key))
	if err == nil {
		m, err = m.WithParams(params)
	}
	if err != nil { // there are no params, so no id was read
		return nil
	}
	return m
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
	m := pipeline.Parse(line)
	var to *events.Stream
	last := false
	switch m.Kind() {
	case pipeline.Response:
		to, line, last = s.answered(m)
	case pipeline.Call, pipeline.Notification:
		to = s.streamFor(m, cause)
	case pipeline.Batch:
		for one := range m.Items() {
			s.receive(one.Line(), cause)
		}
		return
	}
	if to == nil {
		s.log.Debug("a message of the server is dropped: nobody waits for it", "kind", m.Kind(), "method", m.Method(), "id",
			m.ID())
		return
	}
	add := to.Append
	if last {
		add = to.Finish
	}
	_ = add(line) // fails if the call was cancelled or the session has ended
}

// answered returns the stream for a response, the response with the id of the client, and whether it is the last
// of the stream.
func (s *Session) answered(m *pipeline.Message) (to *events.Stream, line []byte, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := m.ID().Key()
	c := s.calls[key]
	if c == nil {
		return nil, nil, false
	}
	if c.initialize {
		var version string
		if json.Unmarshal(pipeline.Member(m.Result(), "protocolVersion"), &version) == nil {
			s.revision = mcp.Lookup(version)
		}
	}
	return c.exchange.Stream, withID(m, c.id), s.close(key, c)
}

// withID returns the line of a response with another id.
func withID(m *pipeline.Message, id pipeline.ID) []byte {
	const begins = `{"jsonrpc":"2.0","id":` // as most responses do; else all of it is read to find the id
	line := m.Line()
	if rest, ok := bytes.CutPrefix(line, []byte(begins+m.ID().String()+",")); ok {
		return slices.Concat([]byte(begins), []byte(id.String()), []byte(","), rest)
	}
	if changed, err := pipeline.SetMember(line, "id", json.RawMessage(id.String())); err == nil {
		return changed
	}
	return line
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

// progressOf returns the key of the call that a progress notification is about, "" if there is none, or several
// have its token. s.mu is held.
func (s *Session) progressOf(m *pipeline.Message) (of string) {
	token := string(pipeline.Member(m.Params(), "progressToken"))
	for key, c := range s.calls {
		switch {
		case token == "" || c.token != token:
		case of != "":
			return ""
		default:
			of = key
		}
	}
	return of
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
		line := pipeline.NewErrorResponse(c.id, fmt.Errorf("%w: %w", pipeline.ErrInternal, why)).Line()
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
