// Package dial opens a session with an MCP server as a client would: in any
// revision, with the server of this process or with a program that it starts.
package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// An Audience is the user of the client. Its methods may be called concurrently.
type Audience interface {
	// Notify takes a notification of the server.
	Notify(method string, params json.RawMessage)
	// Elicit answers the params of elicitation/create.
	Elicit(ctx context.Context, params json.RawMessage) (any, error)
	// Answers reports whether the user can answer; otherwise the client does not
	// declare that the server may ask.
	Answers() bool
}

// Options describe the client.
type Options struct {
	// Revision is the version of the protocol to speak. Empty: the newest that has
	// sessions.
	Revision string
	Audience Audience
	// Version is the version that the client reports.
	Version string
	// Extensions are those that the client declares, with their settings.
	Extensions map[string]any
}

// A Session is a client's session with a server. It is safe for concurrent use.
type Session struct {
	conn     *jsonrpc2.Conn
	stream   *exactStream
	audience Audience
	revision *mcp.Revision
	claim    map[string]any // _meta of each call in a revision without sessions
	ids      atomic.Uint64

	// Hello is the result of initialize, or of server/discover.
	Hello json.RawMessage
}

// Open opens a session over a stream of lines. Closing the session closes the
// stream.
func Open(ctx context.Context, stream io.ReadWriteCloser, o Options) (*Session, error) {
	revision := mcp.Latest()
	if o.Revision != "" {
		if revision = mcp.Lookup(o.Revision); revision == nil {
			return nil, fmt.Errorf("unknown revision %q: use one of %v", o.Revision, mcp.Versions())
		}
	}
	s := &Session{audience: o.Audience, revision: revision,
		stream: &exactStream{ObjectStream: jsonrpc2.NewPlainObjectStream(stream)}}
	s.conn = jsonrpc2.NewConn(context.WithoutCancel(ctx), s.stream, s, jsonrpc2.SetLogger(silent{}))
	if err := s.hello(ctx, o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// hello negotiates the revision.
func (s *Session) hello(ctx context.Context, o Options) error {
	capabilities := map[string]any{}
	if s.audience.Answers() {
		capabilities["elicitation"] = map[string]any{"form": map[string]any{}, "url": map[string]any{}}
	}
	if len(o.Extensions) > 0 {
		capabilities["extensions"] = o.Extensions
	}
	client := map[string]any{"name": "mcp-bash", "version": o.Version}
	var err error
	if s.revision.Stateless {
		s.claim = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    s.revision.Version,
			"io.modelcontextprotocol/clientCapabilities": capabilities,
			"io.modelcontextprotocol/clientInfo":         client,
			"io.modelcontextprotocol/logLevel":           "info",
		}
		s.Hello, err = s.Call(ctx, "server/discover", nil)
		return err
	}
	s.Hello, err = s.Call(ctx, "initialize", map[string]any{
		"protocolVersion": s.revision.Version, "capabilities": capabilities, "clientInfo": client,
	})
	if err != nil {
		return err
	}
	return s.conn.Notify(ctx, "notifications/initialized", nil)
}

// Call calls a method and returns its result. In a revision without sessions, a
// server may return questions as the result: they are put to the audience, and the
// call is repeated with the answers. When ctx ends, the call is cancelled on the
// server, and the error is that of ctx. An error response is a *jsonrpc2.Error.
func (s *Session) Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	for {
		result, err := s.once(ctx, method, params)
		if err != nil {
			return nil, err
		}
		var q mcp.InputRequiredResult
		if !s.revision.Stateless || json.Unmarshal(result, &q) != nil || q.ResultType != "input_required" {
			return result, nil
		}
		responses, err := s.answer(ctx, q.InputRequests)
		if err != nil {
			return nil, err
		}
		params = merged(params, map[string]any{"inputResponses": responses})
		if q.RequestState != "" {
			params["requestState"] = q.RequestState
		}
	}
}

func (s *Session) once(ctx context.Context, method string, params map[string]any) (result json.RawMessage, err error) {
	if s.claim != nil {
		meta, _ := params["_meta"].(map[string]any)
		params = merged(params, map[string]any{"_meta": merged(meta, s.claim)})
	}
	id := jsonrpc2.ID{Num: s.ids.Add(1)}
	var sent any
	if params != nil {
		sent = params
	}
	waiting, err := s.conn.DispatchCall(context.WithoutCancel(ctx), method, sent, jsonrpc2.PickID(id))
	if err != nil {
		return nil, gone(err)
	}
	err = waiting.Wait(ctx, &result)
	if ctx.Err() != nil {
		cancelled := s.conn.Notify(context.WithoutCancel(ctx), "notifications/cancelled",
			map[string]any{"requestId": id.Num, "reason": "interrupted"})
		return nil, errors.Join(ctx.Err(), cancelled)
	}
	return result, gone(err)
}

// merged returns what both have; more counts where both have it.
func merged(some, more map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, some)
	maps.Copy(all, more)
	return all
}

// answer asks the audience the questions of a server.
func (s *Session) answer(ctx context.Context, questions map[string]mcp.InputRequest) (map[string]any, error) {
	responses := map[string]any{}
	for key, q := range questions {
		if q.Method != "elicitation/create" {
			return nil, fmt.Errorf("the server asks for %s, which this client does not have", q.Method)
		}
		answer, err := s.audience.Elicit(ctx, q.Params)
		if err != nil {
			return nil, err
		}
		responses[key] = answer
	}
	return responses, nil
}

// Handle handles requests and notifications of the server.
func (s *Session) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	params := s.stream.params
	switch {
	case r.Notif:
		s.audience.Notify(r.Method, params)
	case r.Method == "ping":
		_ = conn.Reply(ctx, r.ID, struct{}{}) // a server that has exited needs no reply
	case r.Method == "elicitation/create" && s.audience.Answers():
		go func() { // the user may take long
			answer, err := s.audience.Elicit(ctx, params)
			if err != nil {
				// as above
				_ = conn.ReplyWithError(ctx, r.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
				return
			}
			_ = conn.Reply(ctx, r.ID, answer) // as above
		}()
	default:
		// as above
		_ = conn.ReplyWithError(ctx, r.ID,
			&jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "no one is here to answer"})
	}
}

// Close ends the session.
func (s *Session) Close() error { return s.conn.Close() }

// ErrGone is returned when the server has closed the connection.
var ErrGone = errors.New("the server has exited")

// gone returns ErrGone for every error of a connection, and other errors as they are. A server that exits before
// it has read is noticed where it is written to.
func gone(err error) error {
	var file *fs.PathError
	var socket *net.OpError
	for _, end := range []error{jsonrpc2.ErrClosed, io.ErrClosedPipe, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, end) {
			return ErrGone
		}
	}
	if errors.As(err, &file) || errors.As(err, &socket) {
		return ErrGone
	}
	return err
}

// silent is a logger that drops what the library would print.
type silent struct{}

func (silent) Printf(string, ...any) {}
