package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

const (
	// atOnce is the maximum number of calls of a replica on offer at the same time. The others wait in
	// order.
	atOnce = 8
	// retryAfter is how long a call that no worker has taken waits before it is offered again, unless a
	// worker reports that it is free; offerTime is how long a worker may take to answer.
	retryAfter = 250 * time.Millisecond
	offerTime  = time.Second
	// mostRefused is how often a call may be refused because of another version of its tool: other
	// workers may have the right one.
	mostRefused = 16
)

// waiting is a call on offer.
type waiting struct {
	replies chan reply
	link    *link // to the worker whose "taken" came first; guarded by Caller.mu
}

// A reply is the outcome of an offer: the zero value if no worker has a free slot.
type reply struct {
	taken   bool
	refused *refused
}

var errNoWorker = errors.New("no worker is free")

// place finds a worker for a call and returns the link to it. The error is -32000 if too many calls wait,
// or this one has waited for too long.
func (c *Caller) place(ctx context.Context, call string, o offer) (*link, error) {
	w := &waiting{replies: make(chan reply, 4)}
	if !c.enter(call, w) {
		return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: %d calls are waiting for a worker; try again later", c.options.MaxWaiting)
	}
	limited, cancel := context.WithTimeoutCause(ctx, c.options.MaxWait, errNoWorker)
	defer cancel()
	err := c.seek(limited, call, w, sure(o))
	switch l := c.leave(call, w); {
	case l != nil && ctx.Err() == nil: // even if the time has just run out
		return l, nil
	case l != nil:
		c.drop(l, context.Cause(ctx))
		return nil, context.Cause(ctx)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, errNoWorker):
		return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: no worker has taken the call within %v: all are busy, or none is running; try again later", c.options.MaxWait)
	default:
		return nil, err
	}
}

// drop has a worker drop a call that it has taken, without waiting for it.
func (c *Caller) drop(l *link, why error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.send(ctx, kindCancel, failure{Message: why.Error()}) // if this fails the worker drops the call after a while
	c.unlink(l)
}

// seek offers a call until a worker takes it.
func (c *Caller) seek(ctx context.Context, call string, w *waiting, offer []byte) error {
	if c.turns.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer c.turns.Release(1)
	for refusals := 0; ; {
		free := c.nextFree()
		if err := c.Conn.PublishRequest(c.subject("offer"), c.topic(c.address, call, kindTaken), offer); err != nil {
			c.Log.Debug("cannot offer a call to workers", "error", err)
		}
		r, err := w.wait(ctx)
		switch {
		case err != nil || r.taken:
			return err
		case r.refused != nil && r.refused.Full:
			continue
		case r.refused != nil:
			if refusals++; refusals == mostRefused {
				return fmt.Errorf("%w: no worker can run the tool: worker %s: %s", pipeline.ErrInternal, r.refused.Worker, r.refused.Why)
			}
			continue
		}
		select {
		case <-free:
		case <-time.After(retryAfter):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wait returns the outcome of an offer.
func (w *waiting) wait(ctx context.Context) (reply, error) {
	patience := time.NewTimer(offerTime)
	defer patience.Stop()
	select {
	case r := <-w.replies:
		return r, nil
	case <-patience.C:
		return reply{}, nil
	case <-ctx.Done():
		return reply{}, context.Cause(ctx)
	}
}

func (c *Caller) enter(call string, w *waiting) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) >= c.options.MaxWaiting {
		return false
	}
	c.waiting[call] = w
	return true
}

// leave ends the offer of a call, and returns the link to the worker that has taken it.
func (c *Caller) leave(call string, w *waiting) *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, call)
	return w.link
}

// offered handles the reply to an offer.
func (c *Caller) offered(call string, k kind, m *nats.Msg) {
	var r reply
	switch {
	case m.Header.Get("Status") == "503": // no responders
	case k == kindRefused:
		r.refused = &refused{}
		if json.Unmarshal(m.Data, r.refused) != nil {
			return
		}
	default:
		var t taken
		if json.Unmarshal(m.Data, &t) != nil || !strings.HasPrefix(t.Address, "w.") {
			return
		}
		if r.taken = c.accept(call, t); !r.taken {
			if c.shares(call, t.Address) { // it was offered twice to the worker that has it
				return
			}
			c.drop(newLink(c.peer, call, t.Address, t.Worker), errUnwanted)
			return
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.waiting[call]; w != nil {
		select {
		case w.replies <- r:
		default: // the call is not waiting any more
		}
	}
}

// errUnwanted is for a worker that takes a call too late.
var errUnwanted = errors.New("the call has another worker, or has ended")

// accept links a call with the first worker that takes it, and returns false for all others.
func (c *Caller) accept(call string, t taken) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting[call]
	if w == nil || w.link != nil {
		return false
	}
	w.link = c.link(call, t.Address, t.Worker)
	return true
}

// nextFree returns a channel that is closed when a worker reports that it is free.
func (c *Caller) nextFree() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freed
}

func (c *Caller) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.freed)
	c.freed = make(chan struct{})
}
