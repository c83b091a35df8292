// Package session carries the conversation of one client over many HTTP requests: it brings
// messages of the client to its server, and each message of the server to the one stream that it
// belongs to.
//
// A request of the client has an [Exchange], whose stream carries what the server writes on account
// of that request and ends with its response. All else goes to the common stream, which clients
// open with GET.
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
	// ErrDuplicate is the error for a request with the id of one that is not answered yet.
	ErrDuplicate = errors.New("a request with this id is not answered yet")
	// ErrBusy is the error for a request beyond those that a session may have at once.
	ErrBusy = errors.New("too many requests of this session are not answered yet")
)

// Limits bound what a session takes. All of them are needed.
type Limits struct {
	Exchanges int // requests that are not answered yet
	Buffer    int // bytes that wait for the client
	Keep      int // bytes that the client was sent and can ask for again
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

	mu       sync.Mutex
	calls    map[string]*call // that are not answered yet, by the keys of their ids
	newest   []*Exchange      // that have such calls, oldest first
	revision *mcp.Revision    // nil until it is agreed on
	used     int              // HTTP requests that are being served
	idle     *time.Timer      // nil in a session that does not end for idleness
	patience time.Duration    // of idle
	ended    bool
}

// A call is a request of the client.
type call struct {
	exchange   *Exchange
	initialize bool
	token      string // for progress, as it was sent; empty: none
}

// An Exchange is what one HTTP request of the client has begun, with one call or several.
type Exchange struct {
	Stream  *events.Stream
	session *Session
	open    int // calls that are not answered yet; guarded by session.mu
}

// Open begins a session with a server of its own.
func Open(o backend.Opener, limits Limits, log *slog.Logger) (*Session, error) {
	s := &Session{limits: limits, log: log, calls: make(map[string]*call), events: events.NewLog(limits.Buffer, limits.Keep)}
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
	return s, nil
}

// ID returns the id under which clients know the session, "" for one that has none.
func (s *Session) ID() string { return s.id }

// Revision returns the revision that the client and its server have agreed on, nil before.
func (s *Session) Revision() *mcp.Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// Common returns the stream of what belongs to no request.
func (s *Session) Common() *events.Stream { return s.common }

// Resume returns what follows an event that the client has.
func (s *Session) Resume(lastID string) (*events.Stream, *events.Reader, error) {
	return s.events.Resume(lastID)
}

// Done is closed when the session's server has ended.
func (s *Session) Done() <-chan struct{} { return s.conn.Done() }

// Post hands messages of the client to the server. The exchange is for the calls among them, nil
// where there are none.
func (s *Session) Post(ctx context.Context, messages ...*pipeline.Message) (*Exchange, error) {
	e, err := s.begin(messages)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if m.Kind() == pipeline.Notification && m.Method() == "notifications/cancelled" {
			defer s.cancelled(m)
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

// begin notes the calls of messages, all or none.
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
		if s.calls[key] != nil || seen[key] {
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

// Abandon forgets an exchange: nobody reads what belongs to it.
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

// leave takes an exchange out of those that have open calls. s.mu is held.
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

// cancelled ends what waits for the answer of a call that the client has cancelled: there is none.
func (s *Session) cancelled(m *pipeline.Message) {
	id, ok := pipeline.ParseID(pipeline.Member(m.Params(), "requestId"))
	if !ok {
		return
	}
	s.mu.Lock()
	c := s.calls[id.Key()]
	if c == nil || c.initialize {
		s.mu.Unlock()
		return
	}
	last := s.close(id.Key(), c)
	s.mu.Unlock()
	if last {
		c.exchange.Stream.End()
	}
}

// close counts a call as answered, and reports whether it was the last one of its exchange. s.mu
// is held.
func (s *Session) close(key string, c *call) (last bool) {
	delete(s.calls, key)
	if c.exchange.open--; c.exchange.open > 0 {
		return false
	}
	s.leave(c.exchange)
	return true
}

// receive brings a message of the server to its stream.
func (s *Session) receive(line []byte, cause string) {
	m := pipeline.Parse(line)
	var to *events.Stream
	last := false
	switch m.Kind() {
	case pipeline.Response:
		to, last = s.answered(m)
	case pipeline.Call, pipeline.Notification:
		to = s.belongs(m, cause)
	case pipeline.Batch:
		for _, one := range m.Items() {
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
	_ = add(line) // but for a session that has ended
}

// answered returns the stream for a response, and whether it ends with that.
func (s *Session) answered(m *pipeline.Message) (to *events.Stream, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[m.ID().Key()]
	if c == nil {
		return nil, false
	}
	if c.initialize && m.Fault() == nil {
		var version string
		if json.Unmarshal(pipeline.Member(m.Result(), "protocolVersion"), &version) == nil {
			s.revision = mcp.Lookup(version)
		}
	}
	return c.exchange.Stream, s.close(m.ID().Key(), c)
}

// belongs returns the stream for a request or a notification of the server.
func (s *Session) belongs(m *pipeline.Message, cause string) *events.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	method := m.Method()
	if cause == "" && method == "notifications/progress" {
		cause = s.reported(m)
	}
	switch c := s.calls[cause]; {
	case c != nil:
		return c.exchange.Stream
	case method == "notifications/progress", cause != "" && method == "notifications/message":
		return nil // its call is answered, or cancelled
	case cause != "", strings.HasSuffix(method, "/list_changed"), method == "notifications/resources/updated":
		return s.common
	case len(s.newest) == 1:
		return s.newest[0].Stream // it is hardly on account of anything else
	case len(s.newest) > 0 && !s.common.Active():
		return s.newest[len(s.newest)-1].Stream
	}
	return s.common
}

// reported returns the key of the call that a progress notification is about. s.mu is held.
func (s *Session) reported(m *pipeline.Message) string {
	token := string(pipeline.Member(m.Params(), "progressToken"))
	for key, c := range s.calls {
		if token != "" && c.token == token {
			return key
		}
	}
	return ""
}

// fail answers all calls that wait, as their server has ended.
func (s *Session) fail(why error) {
	s.mu.Lock()
	s.ended = true
	open := s.calls
	s.calls, s.newest = make(map[string]*call), nil
	s.mu.Unlock()
	for key, c := range open {
		id, _ := pipeline.ParseID([]byte(key))
		_ = c.exchange.Stream.Append(pipeline.NewErrorResponse(id, fmt.Errorf("%w: %w", pipeline.ErrInternal, why)).Line())
		c.exchange.Stream.End()
	}
	s.common.End()
}

// Close ends the session with its server, and returns when nothing is left of them.
func (s *Session) Close() {
	s.mu.Lock()
	s.ended = true
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	s.events.Close()
	s.conn.Close()
}
