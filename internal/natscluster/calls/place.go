package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
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
	// mostRefused is how often workers may refuse a call, because they have another version of its tool,
	// before other calls have their turn. After refusedPause it is offered again: other workers may have
	// the right version, and in a rolling update more and more do.
	mostRefused  = 16
	refusedPause = time.Second
)

// waiting is a call on offer.
type waiting struct {
	taken   chan struct{} // closed when a worker has taken it
	replies chan *refused // the latest reply that was not read yet; nil: no worker has a free slot
	link    *link         // to the worker whose "taken" came first; guarded by Caller.mu
	refused *refused      // the latest reply, nil if it was another one
}

var errNoWorker = errors.New("no worker is free")

// place finds a worker for a call and returns the link to it. The error is -32000 if too many calls wait,
// or this one has waited for too long.
func (c *Caller) place(ctx context.Context, call string, tool *handlers.Tool) (*link, error) {
	w := &waiting{taken: make(chan struct{}), replies: make(chan *refused, 1)}
	if !c.enter(call, w) {
		return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: %d calls are waiting for a worker; try again later",
			c.options.MaxWaiting)
	}
	limited, cancel := context.WithTimeoutCause(ctx, c.options.MaxWait, errNoWorker)
	defer cancel()
	err := c.seek(limited, call, w, tool)
	switch l := c.leave(call, w); {
	case l != nil && ctx.Err() == nil: // even if the time has just run out
		return l, nil
	case l != nil:
		c.drop(l, context.Cause(ctx))
		return nil, context.Cause(ctx)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !errors.Is(err, errNoWorker):
		return nil, err
	case w.refused != nil:
		return nil, fmt.Errorf("%w: no worker can run the tool: worker %s: %s", pipeline.ErrInternal, w.refused.Worker,
			w.refused.Why)
	case !c.Conn.IsConnected():
		return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: the connection with NATS is lost, so no worker can be "+
			"reached; try again later")
	}
	return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: no worker has taken the call within %v: all are busy, or "+
		"none is running; try again later", c.options.MaxWait)
}

// drop has a worker drop a call that it has taken, without waiting for it.
func (c *Caller) drop(l *link, why error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.send(ctx, kindCancel, failure{Message: why.Error()}) // if this fails the worker drops the call after a while
	c.unlink(l)
}

// seek offers a call until a worker takes it. After mostRefused refusals it goes to the end of the queue.
func (c *Caller) seek(ctx context.Context, call string, w *waiting, tool *handlers.Tool) error {
	for {
		if err := c.turn(ctx, call, w, tool); !errors.Is(err, errRefused) {
			return err
		}
		select {
		case <-time.After(refusedPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errRefused = errors.New("the workers have another version of the tool")

// turn waits for the turn of a call, and offers it until a worker takes it. After mostRefused refusals the
// error is errRefused.
func (c *Caller) turn(ctx context.Context, call string, w *waiting, tool *handlers.Tool) error {
	if c.turns.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer c.turns.Release(1)
	version, err := c.versions.Of(tool)
	if err != nil {
		return fmt.Errorf("%w: %w", pipeline.ErrInternal, err)
	}
	o := sure(offer{protocol, c.Name, tool.Name, version})
	for refusals := 0; refusals < mostRefused; {
		free := c.nextFree()
		if err := c.Conn.PublishRequest(c.subject("offer"), c.topic(c.address, call, kindTaken), o); err != nil {
			c.Log.Debug("cannot offer a call to workers", "error", err)
			w.refused = nil
		} else if taken, err := w.wait(ctx); taken || err != nil {
			return err
		}
		switch {
		case w.refused == nil:
			select {
			case <-w.taken: // by an offer that was given up
				return nil
			case <-free:
			case <-time.After(retryAfter):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		case !w.refused.Full:
			refusals++
		}
	}
	return errRefused
}

// wait waits for the reply to an offer, and reports whether a worker has taken the call.
func (w *waiting) wait(ctx context.Context) (taken bool, err error) {
	patience := time.NewTimer(offerTime)
	defer patience.Stop()
	select {
	case <-w.taken:
		return true, nil
	case w.refused = <-w.replies:
	case <-patience.C:
		w.refused = nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	select {
	case <-w.taken: // while the reply was waiting to be read
		return true, nil
	default:
		return false, nil
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
	switch {
	case m.Header.Get("Status") == "503": // no responders
		c.reply(call, nil)
	case k == kindRefused:
		var r refused
		if json.Unmarshal(m.Data, &r) == nil {
			c.reply(call, &r)
		}
	default:
		var t taken
		if json.Unmarshal(m.Data, &t) != nil || !strings.HasPrefix(t.Address, "w.") {
			return
		}
		// if it shares it, it was offered twice to the worker that has it
		if !c.accept(call, t) && !c.shares(call, t.Address) {
			go c.drop(newLink(c.peer, call, t.Address, t.Worker), errUnwanted) // may wait for the connection
		}
	}
}

// reply passes on that no worker has taken a call. Only the latest reply counts: an earlier one may be to
// an offer that was given up.
func (c *Caller) reply(call string, r *refused) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.waiting[call]; w != nil {
		select {
		case <-w.replies:
		default:
		}
		w.replies <- r // has room, as only this function sends, with the lock
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
	close(w.taken)
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
