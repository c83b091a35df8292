package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// A Relay opens connections with a server that is behind a chain of stages.
type Relay struct {
	Opener  Opener // of the server
	Dialect pipeline.Dialect
	Stages  func() []pipeline.Middleware // of one connection
	Log     *slog.Logger
}

// Open opens a connection with the server, and puts a pipeline in front of it.
func (r Relay) Open(caller string, receive Receiver) (Conn, error) {
	up := &upstream{lines: make(chan []byte), closed: make(chan struct{})}
	conn, err := r.Opener.Open(caller, up.receive)
	if err != nil {
		return nil, err
	}
	up.conn = conn
	other := behind.New(up, behind.Options{Dialect: r.Dialect, Log: r.Log, Gone: func(error) error { return whyEnded(conn) }})
	chain := append([]pipeline.Middleware{Causes()}, append(r.Stages(), other.Stage())...)
	return open(caller, receive, func(ctx context.Context, s jsonrpc2.ObjectStream) error {
		up.ctx = ctx
		p := pipeline.New(s, chain, other.Handle, pipeline.Options{CallIDs: "relay-", Log: r.Log})
		go func() {
			defer p.Finish()
			other.Run(ctx, p)
		}()
		err := p.Run(ctx)
		if err == nil {
			err = whyEnded(conn)
		}
		close(up.closed)
		conn.Close()
		<-other.Gone()
		return err
	}), nil
}

// whyEnded returns why a connection has ended by itself, ErrEnded if it was closed.
func whyEnded(conn Conn) error {
	select {
	case <-conn.Done():
		return conn.Err()
	default:
		return ErrEnded
	}
}

// An upstream is the stream of messages with the server of a [Relay].
type upstream struct {
	ctx    context.Context // in which messages are handed to the server
	conn   Conn
	lines  chan []byte   // of the server
	closed chan struct{} // closed when nobody reads them any more
}

// receive is the [Receiver] of the connection.
func (u *upstream) receive(line []byte, _ string) {
	select {
	case u.lines <- line:
	case <-u.closed:
	}
}

// ReadObject waits for the next message of the server.
func (u *upstream) ReadObject(v any) error {
	raw, ok := v.(*json.RawMessage)
	if !ok {
		return fmt.Errorf("cannot read into %T", v)
	}
	select {
	case *raw = <-u.lines:
		return nil
	case <-u.conn.Done():
	case <-u.closed:
	}
	return io.EOF
}

// WriteObject hands a message to the server.
func (u *upstream) WriteObject(v any) error {
	raw, ok := v.(*json.RawMessage)
	if !ok {
		return fmt.Errorf("cannot write %T", v)
	}
	return u.conn.Send(u.ctx, *raw)
}

// Close ends the connection.
func (u *upstream) Close() error {
	u.conn.Close()
	return nil
}
