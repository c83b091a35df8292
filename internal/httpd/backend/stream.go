package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A ServeFunc serves a client on a stream, as [server.Server.Serve] does, until the stream or its context ends. As an
// Opener it serves each connection by itself. The stages must begin with that of [Causes]; without it the call that a
// message belongs to is unknown.
type ServeFunc func(ctx context.Context, client jsonrpc2.ObjectStream) error

// Open begins to serve a connection.
func (serve ServeFunc) Open(caller string, receive Receiver) (Conn, error) {
	s := &stream{receive: receive, in: make(chan sent), closed: make(chan struct{})}
	c := &session{stream: s, done: make(chan struct{})}
	var ctx context.Context
	ctx = mcp.WithCaller(context.Background(), mcp.Caller{ID: caller})
	ctx, c.cancel = context.WithCancel(context.WithValue(ctx, streamKey{}, s))
	go func() {
		defer close(c.done)
		defer c.cancel()
		c.err = serve(ctx, s)
	}()
	return c, nil
}

// A session is a connection with a pipeline.
type session struct {
	stream *stream
	cancel context.CancelFunc
	done   chan struct{} // closed when serve has returned
	err    error         // of serve; read only after done is closed
}

func (c *session) Send(ctx context.Context, line []byte) error {
	select {
	case c.stream.in <- sent{line, mcp.CallerOf(ctx)}:
		return nil
	case <-c.done:
		return ErrEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *session) Close() {
	c.cancel()
	<-c.done
}

func (c *session) Done() <-chan struct{} { return c.done }

func (c *session) Err() error {
	if errors.Is(c.err, ErrEnded) {
		return c.err
	}
	if c.err == nil || errors.As(c.err, new(pipeline.End)) {
		return ErrEnded
	}
	return fmt.Errorf("%w: %w", ErrEnded, c.err)
}

// A stream is the object stream that the server reads from and writes to.
type stream struct {
	receive Receiver
	in      chan sent
	closing sync.Once
	closed  chan struct{}
	cause   string     // of the message that is written next; the wire's lock guards it
	caller  mcp.Caller // of the message that was read last; only who reads uses it
}

// A sent is a message on its way to the server.
type sent struct {
	line   []byte
	caller mcp.Caller
}

// ReadObject waits for the next message of the client.
func (s *stream) ReadObject(v any) error {
	select {
	case one := <-s.in:
		raw, ok := v.(*json.RawMessage)
		if !ok {
			return fmt.Errorf("cannot read into %T", v)
		}
		*raw, s.caller = one.line, one.caller
		return nil
	case <-s.closed:
		return io.EOF
	}
}

// WriteObject passes on a message of the server.
func (s *stream) WriteObject(v any) error {
	raw, ok := v.(*json.RawMessage)
	if !ok {
		return fmt.Errorf("cannot write %T", v)
	}
	s.receive(*raw, s.cause)
	return nil
}

func (s *stream) Close() error {
	s.closing.Do(func() { close(s.closed) })
	return nil
}

type (
	streamKey struct{}
	causeKey  struct{}
)

// Causes returns the stage that determines which call each outgoing message belongs to, and who sent each one that
// comes in. It must be the first stage of the chain, as both apply to the very next write and the last read.
func Causes() pipeline.Middleware {
	return pipeline.Middleware{
		Name: "causes",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if s, _ := ctx.Value(streamKey{}).(*stream); s != nil && s.caller.ID == mcp.CallerOf(ctx).ID {
				ctx = mcp.WithCaller(ctx, s.caller)
			}
			if m.Kind() == pipeline.Call {
				ctx = context.WithValue(ctx, causeKey{}, m.ID().Key())
			}
			return next(ctx, m)
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			s, _ := ctx.Value(streamKey{}).(*stream)
			if cause, ok := ctx.Value(causeKey{}).(string); ok && s != nil {
				s.cause = cause
				defer func() { s.cause = "" }()
			}
			return next(ctx, m)
		},
	}
}
