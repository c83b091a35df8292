// Package streamable serves MCP over Streamable HTTP, at one endpoint, in every revision that has
// it: with sessions up to 2025-11-25, and without them, a server for each request, from 2026-07-28
// on. Each request says which of the two it is.
package streamable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/events"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/sse"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Handler serves the MCP endpoint.
type Handler struct {
	Sessions *session.Table
	// Stateless opens the servers of requests without a session.
	Stateless backend.Opener
	// Limits are those of each request without a session.
	Limits session.Limits
	// MaxBody is how many bytes the body of a request may have.
	MaxBody int
	// StreamAfter is how long the answer to a request of a session may take before the response
	// becomes a stream, which the client can resume.
	StreamAfter time.Duration
	// KeepAlive is the time after which a stream without an event gets a comment.
	KeepAlive time.Duration
	// Patience is how long a client may take to read an event.
	Patience time.Duration
	// Retry is how long a client should wait before it resumes a stream.
	Retry time.Duration
	// Schema returns the input schema of a tool, nil where there is none. Nil: there are none.
	Schema func(ctx context.Context, tool string) json.RawMessage
	// Owner returns the user that a request comes from, whom alone its session serves. Nil: all
	// come from the same.
	Owner func(*http.Request) string
	// Resumed is called when a client resumes a stream. Nil: nobody is told.
	Resumed func()
	Log     *slog.Logger
}

const jsonType = "application/json"

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		notAllowed(w, "GET, POST, DELETE")
	}
}

// notAllowed answers a request whose method there is not.
func notAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	refuse(w, http.StatusMethodNotAllowed, pipeline.ID{}, fmt.Errorf("%w: use one of %s", pipeline.ErrInvalidRequest, allowed))
}

// refuse answers a request with an error, which is that of the message with the id, if it has one.
func refuse(w http.ResponseWriter, status int, id pipeline.ID, err error) {
	write(w, status, pipeline.NewErrorResponse(id, err).Line())
}

// write answers a request with one message.
func write(w http.ResponseWriter, status int, line []byte) {
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(line) // to a client that is gone
}

func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		refuse(w, http.StatusUnsupportedMediaType, pipeline.ID{}, fmt.Errorf("%w: the Content-Type must be %s", pipeline.ErrInvalidRequest, jsonType))
		return
	}
	if !accepts(r.Header, jsonType) || !accepts(r.Header, sse.ContentType) {
		refuse(w, http.StatusNotAcceptable, pipeline.ID{}, errUnacceptable(jsonType, sse.ContentType))
		return
	}
	m, status, err := h.read(w, r)
	if err != nil {
		refuse(w, status, pipeline.ID{}, err)
		return
	}
	if m.Kind() == pipeline.Malformed {
		write(w, http.StatusBadRequest, m.Refuse(m.Fault()).Line())
		return
	}
	version := r.Header.Get(VersionHeader)
	revision := mcp.Lookup(version)
	switch {
	case version != "" && revision == nil:
		refuse(w, http.StatusBadRequest, m.ID(), mcp.ErrUnsupported(version))
	case revision != nil && revision.Stateless, mcp.HasClaim(m.Params()):
		h.stateless(w, r, m)
	default:
		h.stateful(w, r, m)
	}
}

// read reads the message that is the body of a request.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (m *pipeline.Message, status int, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(h.MaxBody)))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("%w: the body is longer than %d bytes", pipeline.ErrInvalidRequest, h.MaxBody)
	case err != nil:
		return nil, http.StatusBadRequest, fmt.Errorf("%w: the body cannot be read", pipeline.ErrInvalidRequest)
	}
	body = bytes.TrimSpace(body)
	if bytes.ContainsAny(body, "\r\n") { // a server may want one message a line
		var line bytes.Buffer
		if json.Compact(&line, body) == nil {
			body = line.Bytes()
		}
	}
	return pipeline.Parse(body), 0, nil
}

// owner returns the user that a request comes from.
func (h *Handler) owner(r *http.Request) string {
	if h.Owner == nil {
		return ""
	}
	return h.Owner(r)
}

// stateful serves a message of a session, or one that begins a session.
func (h *Handler) stateful(w http.ResponseWriter, r *http.Request, m *pipeline.Message) {
	if r.Header.Get(SessionHeader) == "" {
		if m.Kind() == pipeline.Call && m.Method() == "initialize" {
			h.initialize(w, r, m)
			return
		}
		refuse(w, http.StatusBadRequest, m.ID(), fmt.Errorf("%w: the header %s is missing: it names the session that initialize has begun", pipeline.ErrInvalidRequest, SessionHeader))
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
			refuse(w, http.StatusBadRequest, pipeline.ID{}, fmt.Errorf("%w: arrays of messages are not part of this revision", pipeline.ErrInvalidRequest))
			return
		}
		if messages, faults = items(m); len(messages) == 0 {
			write(w, http.StatusBadRequest, faults[0])
			return
		}
	}
	e, err := s.Post(r.Context(), messages...)
	switch {
	case err != nil:
		h.refused(w, m, err)
	case e == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		h.respond(w, r, s, e, faults)
	}
}

// items returns the messages of a batch, and the errors for what is not a message. One of the two
// is not empty.
func items(batch *pipeline.Message) (messages []*pipeline.Message, faults [][]byte) {
	for _, one := range batch.Items() {
		if one.Kind() == pipeline.Malformed {
			faults = append(faults, one.Refuse(one.Fault()).Line())
		} else {
			messages = append(messages, one)
		}
	}
	if len(messages)+len(faults) == 0 {
		faults = append(faults, batch.Refuse(fmt.Errorf("%w: the array is empty", pipeline.ErrInvalidRequest)).Line())
	}
	return messages, faults
}

// refused answers a message that a session did not take.
func (h *Handler) refused(w http.ResponseWriter, m *pipeline.Message, err error) {
	switch {
	case errors.Is(err, session.ErrDuplicate):
		refuse(w, http.StatusBadRequest, m.ID(), fmt.Errorf("%w: %w", pipeline.ErrInvalidRequest, err))
	case errors.Is(err, session.ErrBusy):
		refuse(w, http.StatusTooManyRequests, m.ID(), fmt.Errorf("%w: %w", pipeline.ErrInternal, err))
	case errors.Is(err, session.ErrFull):
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, m.ID(), fmt.Errorf("%w: %w", pipeline.ErrInternal, err))
	case errors.Is(err, backend.ErrEnded):
		refuse(w, http.StatusNotFound, m.ID(), errNoSession)
	default:
		h.Log.Warn("a message could not be passed on", "error", err)
		refuse(w, http.StatusBadGateway, m.ID(), fmt.Errorf("%w: %w", pipeline.ErrInternal, err))
	}
}

var errNoSession = fmt.Errorf("%w: unknown session, or one that has ended; begin a new one with initialize", pipeline.ErrInvalidRequest)

// errOtherReplica is for clients, and for those who set up the load balancer.
var errOtherReplica = fmt.Errorf("%w: the session is on another replica, which is gone, or the load balancer does not route by %s; begin another session with initialize", pipeline.ErrInvalidRequest, SessionHeader)

// session returns the session that a request names, nil if it was refused.
func (h *Handler) session(w http.ResponseWriter, r *http.Request) *session.Session {
	id := r.Header.Get(SessionHeader)
	s := h.Sessions.Get(id, h.owner(r))
	if s == nil {
		err := errNoSession
		if other := session.ReplicaOf(id); other != "" && other != h.Sessions.Replica {
			err = errOtherReplica
		}
		refuse(w, http.StatusNotFound, pipeline.ID{}, err)
		return nil
	}
	if revision := s.Revision(); revision != nil && revision.VersionHeader && r.Header.Get(VersionHeader) == "" {
		s.Leave()
		refuse(w, http.StatusBadRequest, pipeline.ID{}, fmt.Errorf("%w: the header MCP-Protocol-Version is missing: in this session it is %s", pipeline.ErrInvalidRequest, revision.Version))
		return nil
	}
	return s
}

// initialize begins a session, if its server agrees.
func (h *Handler) initialize(w http.ResponseWriter, r *http.Request, m *pipeline.Message) {
	s, err := h.Sessions.Open(h.owner(r))
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
			write(w, http.StatusOK, answer.Data)
		}
		return
	}
	w.Header().Set(SessionHeader, s.ID())
	write(w, http.StatusOK, answer.Data)
}

// respond answers the request of an exchange of a session: with one message if the answer comes
// soon, with a stream otherwise.
func (h *Handler) respond(w http.ResponseWriter, r *http.Request, s *session.Session, e *session.Exchange, before [][]byte) {
	reader := e.Stream.Read()
	defer reader.Close()
	soon, cancel := context.WithTimeout(r.Context(), h.StreamAfter)
	first, err := reader.Next(soon)
	cancel()
	switch {
	case r.Context().Err() != nil: // the client cannot resume what it knows nothing of
		e.Abandon()
		return
	case err == nil && first.Last && len(before) == 0:
		write(w, http.StatusOK, first.Data)
		e.Stream.Drop()
		return
	}
	out := sse.Begin(w, h.Patience)
	if revision := s.Revision(); revision != nil && revision.Priming {
		if out.Write(sse.Event{ID: e.Stream.First(), Retry: h.Retry}) != nil {
			return
		}
	}
	for _, line := range before {
		if out.Write(sse.Event{Data: line}) != nil {
			return
		}
	}
	if err == nil && out.Write(sse.Event{ID: first.ID, Data: first.Data}) != nil {
		return
	}
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		h.follow(r.Context(), out, reader, true)
	}
}

// follow writes the events of a stream until it ends, or the client is gone.
func (h *Handler) follow(ctx context.Context, out *sse.Writer, reader *events.Reader, ids bool) {
	for {
		quiet, cancel := context.WithTimeout(ctx, h.KeepAlive)
		e, err := reader.Next(quiet)
		cancel()
		switch {
		case err == nil:
			if !ids {
				e.ID = ""
			}
			err = out.Write(sse.Event{ID: e.ID, Data: e.Data})
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			err = out.Comment()
		}
		if err != nil {
			return
		}
	}
}

// get opens the common stream of a session, or resumes a stream of it.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	revision, ok := h.sessionRequest(w, r)
	if !ok {
		return
	}
	if !accepts(r.Header, sse.ContentType) {
		refuse(w, http.StatusNotAcceptable, pipeline.ID{}, errUnacceptable(sse.ContentType))
		return
	}
	s := h.session(w, r)
	if s == nil {
		return
	}
	defer s.Leave()
	stream := s.Common()
	var reader *events.Reader
	if last := r.Header.Get(LastEventHeader); last != "" {
		var err error
		if stream, reader, err = s.Resume(last); err != nil {
			refuse(w, http.StatusBadRequest, pipeline.ID{}, fmt.Errorf("%w: the stream cannot be resumed: %w", pipeline.ErrInvalidRequest, err))
			return
		}
		if h.Resumed != nil {
			h.Resumed()
		}
	} else {
		reader = stream.Read()
	}
	defer reader.Close()
	out := sse.Begin(w, h.Patience)
	begin := out.Comment // so that headers leave, through proxies too
	if revision != nil && revision.Priming && stream == s.Common() {
		begin = func() error { return out.Write(sse.Event{ID: reader.Position(), Retry: h.Retry}) }
	}
	if begin() == nil {
		h.follow(r.Context(), out, reader, true)
	}
}

// sessionRequest refuses requests that only make sense in a session and do not name one.
func (h *Handler) sessionRequest(w http.ResponseWriter, r *http.Request) (*mcp.Revision, bool) {
	version := r.Header.Get(VersionHeader)
	revision := mcp.Lookup(version)
	switch {
	case version != "" && revision == nil:
		refuse(w, http.StatusBadRequest, pipeline.ID{}, mcp.ErrUnsupported(version))
	case revision != nil && revision.Stateless:
		notAllowed(w, "POST")
	case r.Header.Get(SessionHeader) == "":
		refuse(w, http.StatusBadRequest, pipeline.ID{}, fmt.Errorf("%w: the header %s is missing", pipeline.ErrInvalidRequest, SessionHeader))
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

// stateless serves a request that brings what it is served under.
func (h *Handler) stateless(w http.ResponseWriter, r *http.Request, m *pipeline.Message) {
	switch m.Kind() {
	case pipeline.Notification: // there is none that the server needs
		w.WriteHeader(http.StatusAccepted)
		return
	case pipeline.Call:
	default:
		refuse(w, http.StatusBadRequest, pipeline.ID{}, fmt.Errorf("%w: the body must be a request or a notification", pipeline.ErrInvalidRequest))
		return
	}
	if err := h.admit(r, m); err != nil {
		write(w, http.StatusBadRequest, m.Refuse(err).Line())
		return
	}
	s, err := session.Open(h.Stateless, h.Limits, h.Log)
	if err != nil {
		h.refused(w, m, err)
		return
	}
	defer s.Close() // with the connection the request is cancelled
	e, err := s.Post(r.Context(), m)
	if err != nil {
		h.refused(w, m, err)
		return
	}
	gone := context.AfterFunc(r.Context(), s.Close)
	defer gone()
	reader := e.Stream.Read()
	soon, cancel := context.WithTimeout(r.Context(), h.KeepAlive)
	first, err := reader.Next(soon)
	cancel()
	if err == nil && first.Last {
		write(w, status(first.Data), first.Data)
		return
	}
	if r.Context().Err() != nil {
		return
	}
	out := sse.Begin(w, h.Patience)
	if err == nil {
		err = out.Write(sse.Event{Data: first.Data})
	} else {
		err = out.Comment()
	}
	if err == nil {
		h.follow(r.Context(), out, reader, false)
	}
}

// admit returns what is wrong with a request that needs no session, before a server sees it.
func (h *Handler) admit(r *http.Request, m *pipeline.Message) error {
	var schema json.RawMessage
	if m.Method() == "tools/call" && h.Schema != nil {
		var name string
		if json.Unmarshal(pipeline.Member(m.Params(), "name"), &name) == nil {
			schema = h.Schema(r.Context(), name)
		}
	}
	if err := checkHeaders(r.Header, m, schema); err != nil {
		return err
	}
	claim, err := mcp.ParseClaim(m.Params())
	if err == nil && claim == nil {
		err = fmt.Errorf("%w: /_meta/io.modelcontextprotocol~1protocolVersion is missing: every request of %s must have it", pipeline.ErrInvalidParams, strings.Join(mcp.ClaimVersions(), ", "))
	}
	return err
}

// status returns the status of the response to a request without a session.
func status(line []byte) int {
	fault := pipeline.Parse(line).Fault()
	if fault == nil {
		return http.StatusOK
	}
	switch fault.Code {
	case -32601:
		return http.StatusNotFound
	case -32700, -32600, mcp.CodeHeaderMismatch, mcp.CodeMissingCapability, mcp.CodeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
