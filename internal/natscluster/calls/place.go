package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

const (
	// atOnce is the maximum number of calls of one tool that a replica offers at the same time. The others wait in
	// order.
	atOnce = 8
	// offerTime is how long a worker may take to answer an offer.
	offerTime = time.Second
	// inARow is how often a call is offered in a row while workers refuse it. Then it waits: for a worker that
	// reports that it is free, or retryAfter, or refusedPause if the last one has another version of the tool. In a
	// rolling update more and more workers have the right one.
	inARow       = 8
	retryAfter   = 250 * time.Millisecond
	refusedPause = time.Second
)

// waiting is a call on offer.
type waiting struct {
	taken   chan struct{} // closed when a worker has taken it
	replies chan *refused // the latest reply that was not read yet; nil: no worker has the tool
	link    *link         // to the worker whose "taken" came first; guarded by Caller.mu
	refused *refused      // the latest reply, nil if it was another one
}

// A vacancy is a slot that becomes free.
type vacancy struct {
	came   chan struct{} // closed when it has come
	worker string        // its address; written before came is closed
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
	case w.refused != nil && !w.refused.Full:
		return nil, fmt.Errorf("%w: no worker can run the tool: worker %s: %s", pipeline.ErrInternal, w.refused.worker,
			w.refused.Why)
	case !c.Conn.IsConnected():
		return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: the connection with NATS is lost, so no worker can be "+
			"reached; try again later")
	}
	why := "none that has the tool answers"
	if w.refused != nil {
		why = "those that have the tool are busy"
	}
	return nil, pipeline.Errorf(mcp.CodeBusy, "Server busy: no worker has taken the call within %v: %s; try again later",
		c.options.MaxWait, why)
}

// drop has a worker drop a call that it has taken, without waiting for it.
func (c *Caller) drop(l *link, why error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.send(ctx, kindCancel, failure{Message: why.Error()}) // if this fails the worker drops the call after a while
	c.unlink(l)
}

// seek waits for the turn of a call, and offers it until a worker takes it.
func (c *Caller) seek(ctx context.Context, call string, w *waiting, tool *handlers.Tool) error {
	turns := c.turnsOf(tool.Name)
	if turns.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer turns.Release(1)
	version, err := c.versions.Of(tool)
	if err != nil {
		return fmt.Errorf("%w: %w", pipeline.ErrInternal, err)
	}
	o := sure(offer{protocol, tool.Name, version})
	all := c.offersOf(tool.Name) // the workers with this tool, one of which gets the offer
	to, tries := all, 0
	for n := 1; ; n++ {
		free, id := c.nextFree(), fmt.Sprint(call, "-", n)
		at := to
		if to != all {
			at = c.topic(to, id, kindOffer)
		}
		if n > 1 {
			c.repeated.Add(1)
		}
		if err := c.Conn.PublishRequest(at, c.reply("w.-.-", id, kindOffer), o); err != nil {
			c.Log.Debug("cannot offer a call to workers", "error", err)
			w.refused = nil
		} else if taken, err := w.wait(ctx); taken || err != nil {
			return err
		}
		if tries++; to == all && w.refused != nil && tries < inARow {
			continue
		}
		pause := retryAfter
		if w.refused != nil && !w.refused.Full {
			pause = refusedPause
		}
		to, tries = all, 0
		select {
		case <-w.taken: // by an offer that was given up
			return nil
		case <-free.came:
			to = free.worker
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// turnsOf returns the turns of the calls of a tool: calls that no worker can run do not hold up those of other tools.
func (c *Caller) turnsOf(tool string) *semaphore.Weighted {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turns[tool] == nil {
		c.turns[tool] = semaphore.NewWeighted(atOnce)
	}
	return c.turns[tool]
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
func (c *Caller) offered(from, id string, k kind, m *nats.Msg) {
	call, _, _ := strings.Cut(id, "-")
	switch k {
	case kindOffer: // the subject of replies that are not a worker's
		if unreceived(m) {
			c.hear(call, nil)
		}
	case kindRefused:
		r := refused{worker: nameOf(from)}
		if json.Unmarshal(m.Data, &r) == nil {
			c.hear(call, &r)
		}
	case kindTaken:
		if !c.accept(call, id, from) {
			go c.drop(newLink(c.peer, id, from), errUnwanted) // may wait for the connection
		}
	}
}

// hear passes on that no worker has taken a call. Only the latest reply counts: an earlier one may be to
// an offer that was given up.
func (c *Caller) hear(call string, r *refused) {
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
func (c *Caller) accept(call, id, from string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting[call]
	if w == nil || w.link != nil {
		return false
	}
	w.link = c.link(id, from)
	close(w.taken)
	return true
}

// nextFree returns the next slot that becomes free.
func (c *Caller) nextFree() *vacancy {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.free
}

// freed notes that the worker with this address has a free slot again.
func (c *Caller) freed(worker string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free.worker = worker
	close(c.free.came)
	c.free = &vacancy{came: make(chan struct{})}
}
