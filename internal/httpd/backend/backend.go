// Package backend connects the HTTP side to the server behind it, which serves each connection as a stream.
package backend

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// A Receiver gets each message that the server writes, without a newline, one at a time. Cause is
// the [pipeline.ID.Key] of the call that made the server write it, or "" if that is not known.
// Until the Receiver returns the server cannot write more. The line must not be changed.
type Receiver func(line []byte, cause string)

// A Conn is the client's end of one connection with a server.
type Conn interface {
	// Send hands a message to the server, from the [mcp.CallerOf] ctx. It waits until the server reads it, at most
	// as long as ctx lasts. The error is ErrEnded if the server has ended.
	Send(ctx context.Context, line []byte) error
	// Close ends the connection: running calls are cancelled, and all its resources are released
	// when Close returns.
	Close()
	// Done is closed when the server has ended.
	Done() <-chan struct{}
	// Err returns why the server has ended, in words for the client's user. It must be called
	// after Done is closed.
	Err() error
}

// An Opener opens connections, each with a server of its own.
type Opener interface {
	// Open returns a connection that lasts until it is closed. Its messages come from the
	// caller with an ID.
	Open(caller string, receive Receiver) (Conn, error)
}

// ErrEnded is the error for a message sent to a server that has ended.
var ErrEnded = behind.ErrGone
