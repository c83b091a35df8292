package middleware

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// ErrNotReady is the error of a call of ours that no message caused and that
// did not leave, because the session is not ready.
var ErrNotReady = errors.New("the session is not ready")

// Lifecycle decides what a session serves. Until notifications/initialized only
// initialize, ping and shutdown pass, any other call gets -32000; initialize
// passes once (L-08). Calls that bring a claim need no session, see [Stateless]. After shutdown only exit is served,
// other calls get -32003; exit, or the end of grace after shutdown, ends the
// process without a fault. A call of exit without shutdown gets -32005.
//
// What the server sends by itself, caused by no message, leaves only while the
// session is ready: until then and after it notifications are dropped, and
// calls fail with [ErrNotReady].
//
// The session is opened and closed by the handlers of initialize and shutdown,
// which share it with this stage.
//
// Without it a client can call tools before anything is agreed.
func Lifecycle(s *mcp.Session, grace time.Duration) pipeline.Middleware {
	return pipeline.Middleware{
		Name: "lifecycle",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() == pipeline.Call {
				if err := admit(ctx, s, m.Method()); err != nil {
					return nil, err
				}
			}
			switch {
			case m.Method() == "exit" && s.Phase() == mcp.Closing:
				pipeline.From(ctx).Stop(nil)
				if m.Kind() == pipeline.Notification {
					return nil, nil
				}
				return m.Answer(nil)
			case m.Method() == "shutdown" && m.Kind() == pipeline.Call:
				answer, err := next(ctx, m)
				if s.Phase() == mcp.Closing { // else it was refused further in
					p := pipeline.From(ctx)
					time.AfterFunc(grace, func() { p.Stop(nil) })
				}
				return answer, err
			}
			return next(ctx, m)
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			switch {
			case pipeline.Turn(ctx) != nil || s.Phase() == mcp.Ready:
				return next(ctx, m)
			case m.Kind() == pipeline.Call: // who sent it would wait for ever
				return ErrNotReady
			}
			return nil
		},
	}
}

// admit returns why a call is not served now, nil if it is.
func admit(ctx context.Context, s *mcp.Session, method string) error {
	p := s.Phase()
	if mcp.ClaimOf(ctx) != nil { // it needs no session (B-01)
		if p == mcp.Closing {
			return pipeline.Errorf(mcp.CodeShuttingDown, "Server shutting down")
		}
		return nil
	}
	switch method {
	case "initialize":
		if p != mcp.Unopened {
			return fmt.Errorf("%w: the session is already initialized", pipeline.ErrInvalidRequest)
		}
		return nil
	case "exit":
		if p != mcp.Closing {
			return pipeline.Errorf(mcp.CodeNotShuttingDown, "Shutdown not requested")
		}
		return nil
	}
	switch {
	case p == mcp.Closing:
		return pipeline.Errorf(mcp.CodeShuttingDown, "Server shutting down")
	case method == "ping", method == "shutdown":
		return nil
	case p != mcp.Ready:
		return pipeline.Errorf(mcp.CodeNotInitialized, "Server not initialized")
	case !s.Revision().Knows(method):
		return pipeline.Errorf(jsonrpc2.CodeMethodNotFound, "Method not found: %s", method)
	}
	return nil
}
