// Package streamable serves MCP over Streamable HTTP, at one endpoint, in every revision that has
// it: with sessions up to 2025-11-25, and without them, a server for each request, from 2026-07-28
// on. Each request shows which of the two applies.
package streamable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/events"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Handler serves the MCP endpoint.
type Handler struct {
	Sessions *session.Table
	// Stateless opens the servers for requests without a session.
	Stateless backend.Opener
	// Limits are the limits of each request without a session.
	Limits session.Limits
	// Rate limits the requests of each user without a session; nil: it is not limited.
	Rate *session.Rate
	// MaxBody is the maximum size of a request's body in bytes.
	MaxBody int
	// StreamAfter is how long the answer to a request of a session may take before the response
	// becomes a stream, which the client can resume.
	StreamAfter time.Duration
	// KeepAlive is the time after which a stream without an event gets a comment.
	KeepAlive time.Duration
	// Retry is how long a client should wait before it resumes a stream.
	Retry time.Duration
	// Schema returns the input schema of a tool, nil if it has none, to check the headers of a request
	// with. If it fails the request is refused. May be nil.
	Schema func(ctx context.Context, tool string) (json.RawMessage, error)
	Owner  session.Owner
	// Resumed is called when a client resumes a stream, Overloaded when a request is refused because of a
	// limit: sessions, processes or calls. Both may be nil.
	Resumed    func()
	Overloaded func(limit string)
	// Ending is done when the server is asked to end: then the streams end that clients would keep open
	// forever. May be nil.
	Ending context.Context
	Log    *slog.Logger
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		message.NotAllowed(w, "GET, POST, DELETE")
	}
}

func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	if !message.IsJSON(w, r) {
		return
	}
	if !accepts(r.Header, message.Type) && !accepts(r.Header, message.Events) {
		message.Refuse(w, http.StatusNotAcceptable, pipeline.ID{}, errUnacceptable(message.Type, message.Events))
		return
	}
	m, ok := message.Read(w, r, h.MaxBody)
	if !ok {
		return
	}
	version := r.Header.Get(VersionHeader)
	revision := mcp.Lookup(version)
	switch {
	case version != "" && revision == nil:
		message.Refuse(w, http.StatusBadRequest, m.ID(), mcp.ErrUnsupported(version))
	case revision != nil && revision.Stateless, mcp.HasClaim(m.Params()):
		h.stateless(w, r, m)
	default:
		h.stateful(w, r, m)
	}
}

// stateful serves a message of a session, or one that begins a session.
func (h *Handler) stateful(w http.ResponseWriter, r *http.Request, m *pipeline.Message) {
	if r.Header.Get(SessionHeader) == "" {
		if m.Kind() == pipeline.Call && m.Method() == "initialize" {
			h.initialize(w, r, m)
			return
		}
		message.Refuse(w, http.StatusBadRequest, m.ID(),
			fmt.Errorf("%w: the header %s is missing: it names the session that initialize has begun",
				pipeline.ErrInvalidRequest, SessionHeader))
		return
	}
	s := h.session(w, r)
	if s == nil {
		return
	}
	defer s.Leave()
	messages, faults := []*pipeline.Message{m}, [][]byte(nil)
	if m.Kind() == pipeline.Batch {
		if revision := s.Revision(); revision == nil || !revision.Batches {
			message.Refuse(w, http.StatusBadRequest, pipeline.ID{},
				fmt.Errorf("%w: arrays of messages are not part of this revision", pipeline.ErrInvalidRequest))
			return
		}
		if messages, faults = items(m); len(messages) == 0 && len(faults) == 1 {
			message.Write(w, http.StatusBadRequest, faults[0])
			return
		}
	}
	if err := h.Rate.TakeFor(h.Owner.Of(r), m); err != nil { // the server limits each session, and a caller may have many
		h.busy(w, m, http.StatusTooManyRequests, "calls", err)
		return
	}
	e, err := s.Post(r.Context(), messages...)
	switch {
	case errors.Is(err, backend.ErrEnded):
		message.Refuse(w, http.StatusNotFound, m.ID(), errNoSession)
	case err != nil:
		h.refused(w, m, err)
	case e == nil && len(faults) == 0:
		w.WriteHeader(http.StatusAccepted)
	case !accepts(r.Header, message.Events):
		h.respondWhole(w, r, s, e, m.Kind() == pipeline.Batch, faults)
	case e == nil:
		_ = writeAll(message.Begin(w), faults) // fails if the client has disconnected
	default:
		h.respond(w, r, s, e, faults)
	}
}

// items returns the messages of a batch that the server is to get, and the errors for the others.
func items(batch *pipeline.Message) (messages []*pipeline.Message, faults [][]byte) {
	for one := range batch.Items() {
		switch err := checkItem(one); {
		case err == nil:
			messages = append(messages, one)
		case one.Answerable():
			faults = append(faults, one.Refuse(err).Line())
		}
	}
	return messages, faults
}

// checkItem returns the error of a message that cannot be part of a batch.
func checkItem(m *pipeline.Message) error {
	switch {
	case m.Kind() == pipeline.Malformed:
		return m.Fault()
	case m.Method() == "initialize":
		return fmt.Errorf("%w: initialize cannot be part of an array", pipeline.ErrInvalidRequest)
	case mcp.HasClaim(m.Params()): // its headers would have to say what it says
		return fmt.Errorf("%w: calls of revision %s cannot be part of an array", pipeline.ErrInvalidRequest,
			strings.Join(mcp.ClaimVersions(), ", "))
	}
	return nil
}

// refused answers a message that no server has accepted.
func (h *Handler) refused(w http.ResponseWriter, m *pipeline.Message, err error) {
	status, code, reached := http.StatusServiceUnavailable, pipeline.ErrInternal, ""
	switch {
	case errors.Is(err, session.ErrDuplicate):
		status, code = http.StatusBadRequest, pipeline.ErrInvalidRequest
	case errors.Is(err, session.ErrBusy):
		status, reached = http.StatusTooManyRequests, "calls"
	case errors.Is(err, limit.ErrFull):
		reached = "sessions"
	case errors.Is(err, backend.ErrPoolFull):
		reached = "processes"
	case errors.Is(err, backend.ErrUnlisted):
	default:
		status = http.StatusBadGateway
		if !errors.Is(err, context.Canceled) { // the client has disconnected
			h.Log.Warn("a message could not be passed on", "error", err)
		}
	}
	if reached != "" {
		h.busy(w, m, status, reached, err)
		return
	}
	if status == http.StatusServiceUnavailable {
		message.Later(w)
	}
	message.Refuse(w, status, m.ID(), fmt.Errorf("%w: %w", code, err))
}

// busy refuses a message because a limit is reached.
func (h *Handler) busy(w http.ResponseWriter, m *pipeline.Message, status int, limit string, err error) {
	if h.Overloaded != nil {
		h.Overloaded(limit)
	}
	message.Busy(w, status, m.ID(), err)
}

var errNoSession = fmt.Errorf("%w: unknown session, or one that has ended; begin a new one with initialize",
	pipeline.ErrInvalidRequest)

// errOtherReplica is written for clients and for operators of the load balancer.
var errOtherReplica = fmt.Errorf("%w: the session is on another replica, which is gone, or the load balancer does "+
	"not route by %s; begin another session with initialize", pipeline.ErrInvalidRequest, SessionHeader)

// session returns the session that a request names, nil if it was refused.
func (h *Handler) session(w http.ResponseWriter, r *http.Request) *session.Session {
	id := r.Header.Get(SessionHeader)
	s := h.Sessions.Get(id, h.Owner.Of(r))
	if s == nil {
		err := errNoSession
		if other := session.ReplicaOf(id); other != "" && other != h.Sessions.Replica {
			err = errOtherReplica
		}
		message.Refuse(w, http.StatusNotFound, pipeline.ID{}, err)
		return nil
	}
	return s
}

// initialize begins a session, if its server agrees.
func (h *Handler) initialize(w http.ResponseWriter, r *http.Request, m *pipeline.Message) {
	s, err := h.Sessions.Open(h.Owner.Of(r))
	if err != nil {
		h.refused(w, m, err)
		return
	}
	defer s.Leave()
	e, err := s.Post(r.Context(), m)
	if err != nil {
		h.Sessions.End(s, session.Refused)
		h.refused(w, m, err)
		return
	}
	defer e.Stream.Drop()
	answer, err := e.Stream.Read().Next(r.Context())
	if err != nil || pipeline.Parse(answer.Data).Fault() != nil {
		h.Sessions.End(s, session.Refused)
		if err == nil {
			writeAnswer(w, r, http.StatusOK, answer.Data)
		}
		return
	}
	w.Header().Set(SessionHeader, s.ID())
	writeAnswer(w, r, http.StatusOK, answer.Data)
}

// writeAnswer answers a request with a single message, of the media type that the client accepts. Errors with a
// status of their own are JSON for all clients.
func writeAnswer(w http.ResponseWriter, r *http.Request, status int, line []byte) {
	if status == http.StatusOK && !accepts(r.Header, message.Type) {
		_ = message.Begin(w).Write(message.Event{Data: line}) // fails if the client has disconnected
		return
	}
	message.Write(w, status, line)
}

// respond answers the request of an exchange: with one message if the answer comes soon, with a
// stream otherwise.
func (h *Handler) respond(
	w http.ResponseWriter, r *http.Request, s *session.Session, e *session.Exchange, before [][]byte,
) {
	reader := e.Stream.Read()
	defer reader.Close()
	soon, cancel := context.WithTimeout(r.Context(), h.StreamAfter)
	first, err := reader.Next(soon)
	cancel()
	switch {
	case r.Context().Err() != nil: // the client cannot resume a stream that it does not know
		e.Abandon()
		return
	case err == nil && first.Last && len(before) == 0 && accepts(r.Header, message.Type):
		message.Write(w, http.StatusOK, first.Data)
		e.Stream.Drop()
		return
	}
	out := message.Begin(w)
	if revision := s.Revision(); revision != nil && revision.Priming {
		if out.Write(message.Event{ID: e.Stream.First(), Retry: h.Retry}) != nil {
			return
		}
	}
	if writeAll(out, before) != nil {
		return
	}
	if err == nil && out.Write(message.Event{ID: first.ID, Data: first.Data}) != nil {
		return
	}
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		h.follow(r.Context(), out, reader, true)
	}
}

// respondWhole answers a request whose client accepts no stream, when all its calls are answered: with one
// message, or an array for an array. What else the server writes in the meantime goes to the common stream.
func (h *Handler) respondWhole(
	w http.ResponseWriter, r *http.Request, s *session.Session, e *session.Exchange, array bool, answers [][]byte,
) {
	if e != nil {
		reader := e.Stream.Read()
		defer reader.Close()
		for {
			one, err := reader.Next(r.Context())
			switch {
			case r.Context().Err() != nil:
				e.Abandon()
				return
			case err != nil: // the stream has ended: its calls were cancelled
			case pipeline.Parse(one.Data).Kind() == pipeline.Response:
				answers = append(answers, one.Data)
			default:
				_ = s.Common().Append(one.Data) // fails if the session has ended
			}
			if err != nil || one.Last {
				break
			}
		}
		e.Stream.Drop()
	}
	switch {
	case len(answers) == 0:
		w.WriteHeader(http.StatusAccepted)
	case array:
		message.Write(w, http.StatusOK, slices.Concat([]byte("["), bytes.Join(answers, []byte(",")), []byte("]")))
	default:
		message.Write(w, http.StatusOK, answers[0])
	}
}

// writeAll writes messages that belong to no stream of the session.
func writeAll(out *message.Writer, lines [][]byte) error {
	for _, line := range lines {
		if err := out.Write(message.Event{Data: line}); err != nil {
			return err
		}
	}
	return nil
}

// follow sends the events of a stream until it ends or the client disconnects.
func (h *Handler) follow(ctx context.Context, out *message.Writer, reader *events.Reader, ids bool) {
	out.Follow(ctx, h.KeepAlive, func(ctx context.Context) (message.Event, error) {
		e, err := reader.Next(ctx)
		if !ids {
			e.ID = ""
		}
		return message.Event{ID: e.ID, Data: e.Data}, err
	})
}

// get opens the common stream of a session, or resumes one of its streams.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	revision, ok := h.sessionRequest(w, r)
	if !ok {
		return
	}
	if !accepts(r.Header, message.Events) {
		message.Refuse(w, http.StatusNotAcceptable, pipeline.ID{}, errUnacceptable(message.Events))
		return
	}
	s := h.session(w, r)
	if s == nil {
		return
	}
	defer s.Leave()
	stream := s.Common()
	var reader *events.Reader
	last := r.Header.Get(LastEventHeader)
	if last != "" {
		var err error
		if stream, reader, err = s.Resume(last); err != nil {
			message.Refuse(w, http.StatusBadRequest, pipeline.ID{},
				fmt.Errorf("%w: the stream cannot be resumed: %w", pipeline.ErrInvalidRequest, err))
			return
		}
		if h.Resumed != nil {
			h.Resumed()
		}
	}
	out := message.Begin(w)
	if last == "" {
		if reader = h.turn(r.Context(), out, stream); reader == nil {
			return
		}
	}
	defer reader.Close()
	if stream == s.Common() {
		defer h.endless(stream)()
	}
	begin := out.Comment // so that the headers are sent, through proxies too
	if revision != nil && revision.Priming && stream == s.Common() {
		begin = func() error { return out.Write(message.Event{ID: reader.Position(), Retry: h.Retry}) }
	}
	if begin() == nil {
		h.follow(r.Context(), out, reader, true)
	}
}

// turn waits until no other request reads a stream: a message goes to one of them, and the one that came first goes on.
// It returns nil if the client disconnects before.
func (h *Handler) turn(ctx context.Context, out *message.Writer, s *events.Stream) (reader *events.Reader) {
	if s.Active() && out.Comment() != nil {
		return nil
	}
	out.Follow(ctx, h.KeepAlive, func(ctx context.Context) (message.Event, error) {
		var err error
		if reader, err = s.ReadNext(ctx); err == nil {
			err = io.EOF // there is nothing to write yet
		}
		return message.Event{}, err
	})
	return reader
}

// endless ends a stream that nothing else would end when the server is asked to end, unless stop is called
// before.
func (h *Handler) endless(s *events.Stream) (stop func() bool) {
	if h.Ending == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(h.Ending, s.End)
}

// sessionRequest refuses requests that require a session and have no session id.
func (h *Handler) sessionRequest(w http.ResponseWriter, r *http.Request) (*mcp.Revision, bool) {
	version := r.Header.Get(VersionHeader)
	revision := mcp.Lookup(version)
	switch {
	case version != "" && revision == nil:
		message.Refuse(w, http.StatusBadRequest, pipeline.ID{}, mcp.ErrUnsupported(version))
	case revision != nil && revision.Stateless:
		message.NotAllowed(w, "POST")
	case r.Header.Get(SessionHeader) == "":
		message.Refuse(w, http.StatusBadRequest, pipeline.ID{},
			fmt.Errorf("%w: the header %s is missing", pipeline.ErrInvalidRequest, SessionHeader))
	default:
		return revision, true
	}
	return nil, false
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	if _, ok := h.sessionRequest(w, r); !ok {
		return
	}
	if s := h.session(w, r); s != nil {
		h.Sessions.End(s, session.Deleted)
		s.Leave()
		w.WriteHeader(http.StatusNoContent)
	}
}
