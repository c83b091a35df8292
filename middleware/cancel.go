package middleware

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// ErrCancelled is the cause with which the context of a cancelled call ends,
// and the error of what that call tries to send afterwards.
var ErrCancelled = pipeline.ErrCancelled

// Cancel ends the running call that a cancellation names, in MCP notifications/cancelled: its context
// ends at once with [ErrCancelled], and nothing that it causes leaves any more, neither its answer nor
// a notification. An answer and its cancellation are ordered by the lock of the wire, so an
// answer is either sent before the cancellation or never. In a dialect in which cancelled calls are answered, what they
// cause leaves, and the error is that of the dialect unless the handler answers by itself.
//
// initialize cannot be cancelled (L-11), and ids without a running call are ignored. A
// second call with the id of a running one is refused, without its id so that the refusal is not
// taken for the answer of the first (J-07). The id is free again when the answer leaves, and at the
// latest when the message's turn ends, even if the answer was not sent.
//
// Without it a client can only wait.
func Cancel(d pipeline.Dialect, log *slog.Logger) pipeline.Middleware {
	c := &canceller{dialect: d, log: cmp.Or(log, slog.Default()), running: make(map[string]*call)}
	return pipeline.Middleware{Name: "cancel", Inbound: c.inbound, Outbound: c.outbound}
}

type canceller struct {
	dialect pipeline.Dialect
	log     *slog.Logger

	mu      sync.Mutex
	running map[string]*call // by the key of their ids
}

// A call is the context of everything that a call causes. It is in the table until its answer
// leaves, or its turn ends without one; then it ends, so the cause shows whether the answer was held
// back.
type call struct {
	context.Context
	cancel    context.CancelCauseFunc
	immune    bool // it cannot be cancelled
	cancelled bool // guarded by canceller.mu
}

// turn returns the turn of the message of the call; see [pipeline.Turn].
func (c *call) turn() any { return pipeline.Turn(c.Context) }

type callKey struct{}

func (c *call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

func (c *canceller) inbound(
	ctx context.Context, m *pipeline.Message, next pipeline.Handler,
) (*pipeline.Message, error) {
	switch {
	case m.Kind() == pipeline.Notification && c.dialect.Cancel != "" && m.Method() == c.dialect.Cancel:
		c.cancel(ctx, m)
		if !c.dialect.Relayed {
			return nil, nil
		}
		return next(ctx, m)
	case m.Kind() != pipeline.Call:
		return next(ctx, m)
	}
	call := &call{immune: c.dialect.Uncancelled != nil && c.dialect.Uncancelled(m.Method())}
	call.Context, call.cancel = pipeline.WithCancel(ctx)
	if !c.add(m, call) {
		return pipeline.NewErrorResponse(pipeline.ID{}, fmt.Errorf("%w: id %v belongs to a call that is still running",
			pipeline.ErrInvalidRequest, m.ID())), nil
	}
	// If its answer was dropped, or something panicked.
	pipeline.Afterwards(ctx, func(ctx context.Context) { c.take(ctx, m) })
	answer, err := next(call, m)
	if code := c.dialect.CancelCode; code != 0 && err != nil && context.Cause(call) == ErrCancelled {
		err = &jsonrpc2.Error{Code: code, Message: err.Error()}
	}
	return answer, err
}

// outbound drops what a cancelled call causes, and ends a call with its answer.
func (c *canceller) outbound(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
	answers := m.Kind() == pipeline.Response
	switch {
	case answers:
		if cancelled := c.take(ctx, m); cancelled && c.dialect.CancelCode == 0 {
			return nil
		}
	case c.dialect.CancelCode == 0 && c.isCancelled(ctx): // the sender of a call would wait for ever
		return ErrCancelled
	}
	return next(ctx, m)
}

// cancel ends the call that a notification cancels. Nothing else in it matters: a reason of an odd
// type must not keep a call running that its client has given up.
func (c *canceller) cancel(ctx context.Context, m *pipeline.Message) {
	id, ok := c.dialect.Cancelled(m)
	switch {
	case !ok:
		pipeline.Note(ctx, "no readable", c.dialect.CancelID)
	case !c.end(id.Key()):
		pipeline.Note(ctx, "no call", id.String())
	default:
		pipeline.Note(ctx, "ended call", id.String())
		c.log.Info("call cancelled", "id", id.String(), "reason", text(m.Params(), "reason"))
	}
}

// end cancels a running call; it reports false if there is none to cancel.
func (c *canceller) end(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.running[key]
	if call == nil || call.immune {
		return false
	}
	call.cancelled = true
	call.cancel(ErrCancelled)
	return true
}

// add adds a call; it reports false if one with that id is running. A stage further out may try a
// message again: that is the same call, cancelled if it was.
func (c *canceller) add(m *pipeline.Message, call *call) bool {
	key := m.ID().Key()
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.running[key]; before != nil && before.turn() != call.turn() {
		return false
	} else if before != nil && before.cancelled {
		call.cancelled = true
		call.cancel(ErrCancelled)
	} else if before != nil {
		before.cancel(nil)
	}
	c.running[key] = call
	return true
}

// take removes the running call with the id of m, its call or answer, and reports whether it was
// cancelled. The answer to another message with the same id, such as a refusal further out, has
// another turn and takes nothing.
func (c *canceller) take(ctx context.Context, m *pipeline.Message) (cancelled bool) {
	key, turn := m.ID().Key(), pipeline.Turn(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.running[key]
	if call == nil || call.turn() != turn && ctx.Value(callKey{}) != call { // the latter if a stage inside has split it
		return false
	}
	delete(c.running, key)
	call.cancel(nil)
	return call.cancelled
}

// isCancelled reports whether the call that causes a message was cancelled.
func (c *canceller) isCancelled(ctx context.Context) bool {
	call, _ := ctx.Value(callKey{}).(*call)
	if call == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return call.cancelled
}
