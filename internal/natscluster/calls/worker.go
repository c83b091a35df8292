package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

// A Host runs the tools of a worker; a server implements it.
type Host interface {
	handlers.Runner
	// Tool returns a tool if it may be run here.
	Tool(ctx context.Context, name string) (*handlers.Tool, error)
	// Share returns a context with the memory budget of one call, and a function that releases it.
	Share(context.Context) (context.Context, func())
}

// A Worker takes calls of replicas and runs them.
type Worker struct {
	*peer
	options  WorkerOptions
	versions Versions
	calls    table
	context  context.Context // parent of all calls' contexts
	cancel   context.CancelCauseFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	subs   map[*nats.Subscription]bool // one for each free slot
	busy   int                         // slots with a call
	asking int                         // calls that lend their slot while their client is asked
	ending bool
	// refused are the versions of tools in the latest refused offers.
	refused map[string]string
}

// WorkerOptions configure a Worker.
type WorkerOptions struct {
	Options
	Slots int // maximum number of concurrent calls; at least 1
	Host  Host
}

// errEnding is why calls are ended that still run after the grace period of Close.
var errEnding = errors.New("the worker is shutting down and has ended the tool")

// NewWorker returns a Worker, which takes calls until it is closed.
func NewWorker(o WorkerOptions) (*Worker, error) {
	if o.Slots < 1 {
		return nil, errors.New("a worker needs a slot or more")
	}
	w := &Worker{options: o, subs: make(map[*nats.Subscription]bool), refused: make(map[string]string)}
	w.context, w.cancel = context.WithCancelCause(context.Background())
	var err error
	if w.peer, err = newPeer(o.Options, "w", func(string, kind, *nats.Msg) {}); err != nil {
		return nil, err
	}
	if err := w.adjust(func() {}); err != nil {
		w.peer.close()
		return nil, fmt.Errorf("cannot subscribe to the calls of replicas: %w", err)
	}
	_ = w.Conn.FlushTimeout(time.Second) // so that calls from now on find the worker
	return w, nil
}

// Close stops taking calls, waits up to grace for running calls, and ends the others.
func (w *Worker) Close(grace time.Duration) {
	w.mu.Lock()
	w.ending = true
	for sub := range w.subs {
		_ = sub.Unsubscribe() // the connection may be closed
	}
	clear(w.subs)
	w.mu.Unlock()
	over := time.AfterFunc(grace, func() { w.cancel(errEnding) })
	defer over.Stop()
	w.running.Wait()
	w.cancel(nil)
	_ = w.Conn.FlushTimeout(time.Second) // sends the last results
	w.peer.close()
}

// queueGroup is the group of all workers.
const queueGroup = "workers"

// adjust applies a change of the running calls, and then subscribes to offers for all free slots.
func (w *Worker) adjust(change func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	full := len(w.subs) == 0
	for !w.ending && len(w.subs) < w.options.Slots-w.busy {
		sub, err := w.Conn.QueueSubscribe(w.subject("offer"), queueGroup, w.offered)
		if err == nil {
			err = sub.AutoUnsubscribe(1)
		}
		if err != nil {
			w.Log.Warn("a slot of this worker takes no calls", "error", err)
			return err
		}
		w.subs[sub] = true
	}
	if full && len(w.subs) > 0 {
		_ = w.Conn.Publish(w.topic("r.all", "-", kindFree), nil) // if this fails the calls are offered again soon anyway
	}
	return nil
}

// offered takes an offer, or refuses it.
func (w *Worker) offered(m *nats.Msg) {
	w.mu.Lock()
	mine := w.subs[m.Sub]
	if mine {
		delete(w.subs, m.Sub)
		w.busy++
		w.running.Add(1)
	}
	w.mu.Unlock()
	call, address, ok := w.caller(m.Reply)
	var o offer
	ok = ok && json.Unmarshal(m.Data, &o) == nil
	if !mine || !ok {
		if ok { // the worker is ending
			w.refuse(address, call, refused{Full: true, Why: "it has no free slot"})
		}
		if mine {
			w.free()
			w.running.Done()
		}
		return
	}
	go func() {
		defer w.running.Done()
		w.consider(o, call, address)
	}()
}

// free gives the slot of a call back.
func (w *Worker) free() { _ = w.adjust(func() { w.busy-- }) }

// caller returns the offered call and the address of its replica, from the reply subject.
func (w *Worker) caller(reply string) (call, address string, ok bool) {
	rest, ok := strings.CutPrefix(reply, w.subject("r."))
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 || parts[2] != string(kindTaken) {
		return "", "", false
	}
	return parts[1], "r." + parts[0], true
}

func (w *Worker) refuse(address, call string, r refused) {
	r.Worker = w.Name
	if err := w.Conn.Publish(w.topic(address, call, kindRefused), sure(r)); err != nil {
		w.Log.Debug("cannot refuse a call", "error", err)
	}
}

// consider takes a call and runs it, if this worker can, or else refuses it.
func (w *Worker) consider(o offer, call, address string) {
	tool, err := w.find(o)
	if err != nil {
		w.logRefusal(o, err)
		w.refuse(address, call, refused{Why: err.Error()})
		w.free()
		return
	}
	l := w.link(call, address, o.Replica) // nil where it is offered again, as this worker was slow to answer
	err = w.Conn.Publish(w.topic(address, call, kindTaken), sure(taken{w.address, w.Name}))
	switch {
	case l == nil:
		w.free() // it has a slot already
	case err != nil:
		w.unlink(l)
		w.free()
	default:
		w.serve(l, tool)
	}
}

// logRefusal logs why an offer is refused, once for each version of a tool.
func (w *Worker) logRefusal(o offer, why error) {
	w.mu.Lock()
	known := w.refused[o.Tool] == o.Version
	if len(w.refused) < mostRefusals {
		w.refused[o.Tool] = o.Version
	}
	w.mu.Unlock()
	level := slog.LevelWarn
	if known {
		level = slog.LevelDebug
	}
	w.Log.Log(w.context, level, "a call is refused", "tool", o.Tool, "replica", o.Replica, "error", why)
}

// mostRefusals bounds the number of tools in Worker.refused.
const mostRefusals = 1000

// find returns the tool of an offer, if it has the offer's version.
func (w *Worker) find(o offer) (_ *handlers.Tool, err error) {
	defer caught(w.Log, o.Tool, &err)
	if o.Protocol != protocol {
		return nil, fmt.Errorf("it is a worker of another version of mcp-http than replica %s", o.Replica)
	}
	tool, err := w.options.Host.Tool(w.context, o.Tool)
	if err != nil {
		return nil, err
	}
	version, err := w.versions.Of(tool)
	switch {
	case err != nil:
		return nil, err
	case version != o.Version:
		return nil, fmt.Errorf("it has another version of the tool %s than replica %s: their metadata or files differ",
			o.Tool, o.Replica)
	}
	return tool, nil
}
