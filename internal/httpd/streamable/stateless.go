package streamable

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// stateless serves a request that carries its own revision and capabilities.
func (h *Handler) stateless(w http.ResponseWriter, r *http.Request, m *pipeline.Message) {
	switch m.Kind() {
	case pipeline.Notification: // the server needs none of them
		w.WriteHeader(http.StatusAccepted)
		return
	case pipeline.Call:
	default:
		message.Refuse(w, http.StatusBadRequest, pipeline.ID{},
			fmt.Errorf("%w: the body must be a request or a notification", pipeline.ErrInvalidRequest))
		return
	}
	if m.Method() == listen && !accepts(r.Header, message.Events) {
		message.Refuse(w, http.StatusNotAcceptable, m.ID(), errUnacceptable(message.Events))
		return
	}
	if err := h.Rate.Take(h.Owner.Of(r)); err != nil {
		h.busy(w, m, http.StatusTooManyRequests, "calls", err)
		return
	}
	schema, err := h.schema(r.Context(), m)
	if err != nil {
		h.refused(w, m, err)
		return
	}
	if err := admit(r, m, schema); err != nil {
		message.Write(w, http.StatusBadRequest, m.Refuse(err).Line())
		return
	}
	s, err := session.Open(h.Stateless, h.Owner.Of(r), h.Limits, h.Log)
	if err != nil {
		h.refused(w, m, err)
		return
	}
	defer s.Close() // closing the connection cancels the request
	e, err := s.Post(r.Context(), m)
	if err != nil {
		h.refused(w, m, err)
		return
	}
	gone := context.AfterFunc(r.Context(), s.Close)
	defer gone()
	if m.Method() == listen {
		defer h.endless(e.Stream)()
	}
	reader := e.Stream.Read()
	if !accepts(r.Header, message.Events) {
		for { // what comes before the answer only says how far the call is
			if one, err := reader.Next(r.Context()); err != nil {
				return
			} else if one.Last {
				message.Write(w, status(one.Data), one.Data)
				return
			}
		}
	}
	soon, cancel := context.WithTimeout(r.Context(), h.KeepAlive)
	first, err := reader.Next(soon)
	cancel()
	if err == nil && first.Last {
		writeAnswer(w, r, status(first.Data), first.Data)
		return
	}
	if r.Context().Err() != nil {
		return
	}
	out := message.Begin(w)
	if err == nil {
		err = out.Write(message.Event{Data: first.Data})
	} else {
		err = out.Comment()
	}
	if err == nil {
		h.follow(r.Context(), out, reader, false)
	}
}

// listen is the method whose answer is a stream that ends with the connection.
const listen = "subscriptions/listen"

// schema returns the input schema of the tool that a request calls, nil if there is none.
func (h *Handler) schema(ctx context.Context, m *pipeline.Message) (json.RawMessage, error) {
	var name string
	if m.Method() != "tools/call" || h.Schema == nil || json.Unmarshal(pipeline.Member(m.Params(), "name"), &name) != nil {
		return nil, nil
	}
	return h.Schema(ctx, name)
}

// admit returns the error of an invalid request without a session, before a server sees it.
func admit(r *http.Request, m *pipeline.Message, schema json.RawMessage) error {
	if err := checkHeaders(r.Header, m, schema); err != nil {
		return err
	}
	claim, err := mcp.ParseClaim(m.Params())
	if err == nil && claim == nil {
		err = fmt.Errorf("%w: /_meta/io.modelcontextprotocol~1protocolVersion is missing: every request of %s must have it",
			pipeline.ErrInvalidParams, strings.Join(mcp.ClaimVersions(), ", "))
	}
	return err
}

// status returns the HTTP status of the response to a request without a session.
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
