// Package legacy serves MCP over HTTP with SSE, the transport of revision 2024-11-05: a client
// opens a stream of events, learns from it where to post its messages, and reads all messages of the
// server from it. A session lasts as long as its stream.
package legacy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/events"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Handler serves both endpoints.
type Handler struct {
	Opener backend.Opener
	// Messages is the path of the message endpoint, which is sent to clients.
	Messages string
	MaxBody  int // maximum size of a message in bytes
	Buffer   int // bytes that wait for a client
	// KeepAlive is the time after which a stream without an event gets a comment.
	KeepAlive time.Duration
	Places    *limit.Shares // of open sessions
	Rate      *session.Rate // of each user's calls, in all sessions; nil: it is not limited
	// Replica is the prefix of session ids; see [session.Table].
	Replica string
	Owner   session.Owner
	// Overloaded is called when something is refused because of a limit: sessions or calls. May be nil.
	Overloaded func(limit string)
	// Ending is done when the server is asked to end: then streams end as soon as their calls are answered,
	// as clients would keep them open forever. May be nil.
	Ending context.Context
	// Until is done when calls may take no longer: those that are open are answered with its cause. May be nil.
	Until context.Context
	Log   *slog.Logger

	mu       sync.Mutex
	sessions map[string]*client
}

// A client is a session of one client.
type client struct {
	conn  backend.Conn
	owner string
	calls unanswered
}

// Stream serves the endpoint at which clients open their stream.
func (h *Handler) Stream(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		message.NotAllowed(w, "GET")
		return
	}
	log := events.NewLog(h.Buffer, 1)
	defer log.Close()
	stream := log.Open()
	reader := stream.Read()
	defer reader.Close()
	id, err := h.begin(r, stream)
	if err != nil {
		reached := ""
		if errors.Is(err, limit.ErrFull) {
			reached = "sessions"
		}
		h.busy(w, http.StatusServiceUnavailable, pipeline.ID{}, reached, err)
		return
	}
	defer h.end(id, log)
	out := message.Begin(w)
	endpoint := h.Messages + "?" + url.Values{"sessionId": {id}}.Encode()
	if out.Write(message.Event{Name: "endpoint", Data: []byte(endpoint)}) != nil {
		return
	}
	out.Follow(r.Context(), h.KeepAlive, func(ctx context.Context) (message.Event, error) {
		e, err := reader.Next(ctx)
		return message.Event{Name: "message", Data: e.Data}, err
	})
}

// begin begins a session whose messages go to a stream.
func (h *Handler) begin(r *http.Request, stream *events.Stream) (id string, err error) {
	id = session.NewID(h.Replica)
	one := &client{owner: h.Owner.Of(r)}
	if err := h.Places.Take(one.owner, 1); err != nil {
		return "", err
	}
	h.mu.Lock()
	if h.sessions == nil {
		h.sessions = make(map[string]*client)
	}
	h.sessions[id] = one
	h.mu.Unlock()
	conn, err := h.Opener.Open(one.owner, func(line []byte, _ string) {
		_ = stream.Append(line) // fails if the client has disconnected
		one.calls.received(pipeline.Parse(line))
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		delete(h.sessions, id)
		h.Places.Free(one.owner, 1)
		return "", err
	}
	one.conn = conn
	go func() {
		select {
		case <-conn.Done():
		case <-done(h.Ending):
			one.calls.whenNone(stream.End)
			select {
			case <-conn.Done():
			case <-done(h.Until):
				for _, line := range one.calls.fail(context.Cause(h.Until)) {
					_ = stream.Append(line) // fails if the client has disconnected
				}
			}
		}
		stream.End()
	}()
	return id, nil
}

// done returns the channel of a context, nil if there is none.
func done(ctx context.Context) <-chan struct{} {
	if ctx == nil {
		return nil
	}
	return ctx.Done()
}

func (h *Handler) end(id string, log *events.Log) {
	h.mu.Lock()
	one := h.sessions[id]
	delete(h.sessions, id)
	h.mu.Unlock()
	h.Places.Free(one.owner, 1)
	log.Close()
	one.conn.Close()
}

// Count returns how many sessions are open.
func (h *Handler) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// Post serves the endpoint for messages.
func (h *Handler) Post(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		message.NotAllowed(w, "POST")
		return
	}
	if !message.IsJSON(w, r) {
		return
	}
	id := r.URL.Query().Get("sessionId")
	if id == "" {
		refuse(w, http.StatusBadRequest, "sessionId is missing: post to the address that the stream has named")
		return
	}
	one := h.find(id, h.Owner.Of(r))
	if one == nil {
		refuse(w, http.StatusNotFound, "unknown session, or its stream has ended")
		return
	}
	m, ok := message.Read(w, r, h.MaxBody)
	if !ok {
		return
	}
	if err := h.Rate.TakeFor(one.owner, m); err != nil {
		h.busy(w, http.StatusTooManyRequests, m.ID(), "calls", err)
		return
	}
	one.calls.sent(m)
	if one.conn.Send(mcp.InSession(r.Context(), id), m.Line()) != nil {
		refuse(w, http.StatusNotFound, "the session has ended")
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (h *Handler) find(id, owner string) *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.sessions[id]; one != nil && one.owner == owner && one.conn != nil {
		return one
	}
	return nil
}

func refuse(w http.ResponseWriter, status int, why string) {
	message.Refuse(w, status, pipeline.ID{}, fmt.Errorf("%w: %s", pipeline.ErrInvalidRequest, why))
}

// busy refuses a request because of a limit; "" if it was not one of those that are counted.
func (h *Handler) busy(w http.ResponseWriter, status int, id pipeline.ID, limit string, err error) {
	if limit != "" && h.Overloaded != nil {
		h.Overloaded(limit)
	}
	message.Busy(w, status, id, err)
}
