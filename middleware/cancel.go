package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// ErrCancelled is the cause with which the context of a cancelled call ends.
var ErrCancelled = errors.New("cancelled by the client")

// Cancel ends the running call that notifications/cancelled names: its context
// ends at once with [ErrCancelled], and nothing that it causes leaves any more,
// neither its answer nor a notification. Both ways out pass the
// lock of the wire, so an answer that races with its cancellation is either
// sent before or never.
//
// initialize cannot be cancelled, and ids that no running call has are ignored
// . A second call with the id of a running one is refused, without
// its id so that the refusal is not taken for the answer of the first (J-07).
//
// Without it a client can only wait.
func Cancel(log *slog.Logger) pipeline.Middleware {
	c := &canceller{log: log, running: make(map[string]*call)}
	return pipeline.Middleware{Name: "cancel", Inbound: c.inbound, Outbound: c.outbound}
}

type canceller struct {
	log *slog.Logger

	mu      sync.Mutex
	running map[string]*call // by the key of their ids
}

// A call is in the table until its answer leaves.
type call struct {
	turn      any                     // see pipeline.Turn
	cancel    context.CancelCauseFunc // nil when it cannot be cancelled
	cancelled bool                    // guarded by canceller.mu
}

type callKey struct{}

func (c *canceller) inbound(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
	switch {
	case m.Kind() == pipeline.Notification && m.Method() == "notifications/cancelled":
		c.cancel(m)
		return nil, nil
	case m.Kind() != pipeline.Call:
		return next(ctx, m)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	call := &call{turn: pipeline.Turn(ctx), cancel: cancel}
	if m.Method() == "initialize" {
		call.cancel = nil
	}
	key := m.ID().Key()
	if !c.add(key, call) {
		return pipeline.NewErrorResponse(pipeline.ID{}, fmt.Errorf("%w: id %v belongs to a call that is still running", pipeline.ErrInvalidRequest, m.ID())), nil
	}
	finished := false
	defer func() {
		if !finished { // nothing will leave that ends it
			c.remove(key, call)
		}
	}()
	answer, err := next(context.WithValue(ctx, callKey{}, call), m)
	finished = answer != nil || err != nil
	return answer, err
}

// outbound swallows what a cancelled call causes, and ends a call with its
// answer.
func (c *canceller) outbound(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
	var call *call
	if m.Kind() == pipeline.Response {
		call = c.take(m.ID().Key(), pipeline.Turn(ctx))
	} else {
		call = callOf(ctx)
	}
	if call != nil && c.isCancelled(call) {
		return nil
	}
	return next(ctx, m)
}

func callOf(ctx context.Context) *call {
	call, _ := ctx.Value(callKey{}).(*call)
	return call
}

func (c *canceller) cancel(m *pipeline.Message) {
	var p mcp.CancelledParams
	if m.Params() == nil || jsonv2.Unmarshal(m.Params(), &p) != nil {
		return
	}
	if p.RequestID == nil {
		p.RequestID = p.ID
	}
	id, ok := pipeline.ParseID(p.RequestID)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	call, ok := c.running[id.Key()]
	if !ok || call.cancel == nil {
		return
	}
	c.log.Info("call cancelled", "id", id.String(), "reason", p.Reason)
	call.cancelled = true
	call.cancel(ErrCancelled)
}

func (c *canceller) add(key string, call *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, running := c.running[key]; running {
		return false
	}
	c.running[key] = call
	return true
}

func (c *canceller) remove(key string, call *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[key] == call {
		delete(c.running, key)
	}
}

// take ends the call whose answer leaves. An answer to another message with
// the same id, such as a refusal further out, is none of it.
func (c *canceller) take(key string, turn any) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.running[key]
	if call == nil || call.turn != turn {
		return nil
	}
	delete(c.running, key)
	return call
}

func (c *canceller) isCancelled(call *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return call.cancelled
}
