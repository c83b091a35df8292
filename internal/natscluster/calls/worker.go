package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

// A Host runs the tools of a worker; a server implements it.
type Host interface {
	handlers.Runner
	// Tools returns the names of the tools that may be run here.
	Tools(context.Context) ([]string, error)
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
	looking  sync.WaitGroup

	mu     sync.Mutex
	subs   map[string]*nats.Subscription // to the offers of calls, by tool
	busy   int                           // slots with a call
	asking int                           // calls that lend their slot while their client is asked
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
	w := &Worker{options: o, subs: make(map[string]*nats.Subscription), refused: make(map[string]string)}
	w.context, w.cancel = context.WithCancelCause(context.Background())
	var err error
	if w.peer, err = newPeer(o.Options, "w", func(_, _ string, _ kind, m *nats.Msg) { w.offered(m) }); err != nil {
		return nil, err
	}
	w.look()
	w.looking.Go(w.looks)
	_ = w.Conn.FlushTimeout(time.Second) // so that calls from now on find the worker
	return w, nil
}

// Close stops taking calls, waits up to grace for running calls, and ends the others.
func (w *Worker) Close(grace time.Duration) {
	w.mu.Lock()
	w.ending = true
	for _, sub := range w.subs {
		_ = sub.Unsubscribe() // the connection may be closed
	}
	w.report(kindHere)
	w.mu.Unlock()
	over := time.AfterFunc(grace, func() { w.cancel(errEnding) })
	defer over.Stop()
	w.running.Wait()
	w.cancel(nil)
	w.looking.Wait()
	_ = w.Conn.FlushTimeout(time.Second) // sends the last results
	w.peer.close()
}

// queueGroup is the group of all workers.
const queueGroup = "workers"

// looks looks with each beat whether the worker has other tools than before, and reports, until the worker is closed.
func (w *Worker) looks() {
	tick := time.NewTicker(w.Beat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.look()
		case <-w.context.Done():
			return
		}
	}
}

// look subscribes to the offers of calls of all tools that this worker has, and to no others.
func (w *Worker) look() {
	tools, err := w.options.Host.Tools(w.context)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ending {
		return
	}
	about := kindHere
	defer func() { w.report(about) }()
	if err != nil {
		w.Log.Debug("the tools cannot be listed", "error", err)
		return
	}
	had := len(w.subs)
	gone := maps.Clone(w.subs)
	for _, tool := range tools {
		delete(gone, tool)
		if w.subs[tool] != nil {
			continue
		}
		sub, err := w.Conn.QueueSubscribe(w.offersOf(tool), queueGroup, w.offered)
		if err != nil {
			w.Log.Warn("this worker takes no calls of a tool", "tool", tool, "error", err)
			continue
		}
		w.subs[tool] = sub
	}
	for tool, sub := range gone {
		_ = sub.Unsubscribe() // the connection may be closed
		delete(w.subs, tool)
	}
	if len(w.subs) > had && w.busy < w.options.Slots {
		about = kindFree
	}
}

// adjust applies a change of the running calls, and reports when there is a free slot again.
func (w *Worker) adjust(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	full := w.busy >= w.options.Slots
	change()
	if full && w.busy < w.options.Slots && !w.ending {
		w.report(kindFree)
	}
}

// offered takes an offer, or refuses it.
func (w *Worker) offered(m *nats.Msg) {
	address, call, ok := w.caller(m.Reply)
	var o offer
	if !ok || json.Unmarshal(m.Data, &o) != nil {
		return
	}
	w.mu.Lock()
	full := w.ending || w.busy >= w.options.Slots
	if !full {
		w.busy++
		w.running.Add(1)
	}
	w.mu.Unlock()
	if full {
		w.refuse(address, call, refused{Full: true, Why: "it has no free slot"})
		return
	}
	go func() {
		defer w.running.Done()
		w.consider(o, call, address)
	}()
}

// release gives the slot of a call back.
func (w *Worker) release() { w.adjust(func() { w.busy-- }) }

// caller returns the address of the replica that offers a call, and the call, from the subject for replies.
func (w *Worker) caller(reply string) (address, call string, ok bool) {
	parts := strings.Split(strings.TrimPrefix(reply, w.subject("")), ".")
	if len(parts) != 7 || parts[0] != "r" {
		return "", "", false
	}
	return strings.Join(parts[:3], "."), parts[5], true
}

func (w *Worker) refuse(address, call string, r refused) {
	if err := w.Conn.Publish(w.topic(address, call, kindRefused), sure(r)); err != nil {
		w.Log.Debug("cannot refuse a call", "error", err)
	}
}

// consider takes a call and runs it, if this worker can, or else refuses it.
func (w *Worker) consider(o offer, call, address string) {
	tool, err := w.find(o, nameOf(address))
	if err != nil {
		w.logRefusal(o, nameOf(address), err)
		w.refuse(address, call, refused{Why: err.Error()})
		w.release()
		return
	}
	l := w.link(call, address)
	if err := w.Conn.Publish(w.topic(address, call, kindTaken), nil); err != nil {
		w.unlink(l)
		w.release()
		return
	}
	w.serve(l, tool)
}

// logRefusal logs why an offer is refused, once for each version of a tool.
func (w *Worker) logRefusal(o offer, replica string, why error) {
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
	w.Log.Log(w.context, level, "a call is refused", "tool", o.Tool, "replica", replica, "error", why)
}

// mostRefusals bounds the number of tools in Worker.refused.
const mostRefusals = 1000

// find returns the tool of an offer, if it has the offer's version.
func (w *Worker) find(o offer, replica string) (_ *handlers.Tool, err error) {
	defer caught(w.Log, o.Tool, &err)
	if o.Protocol != protocol {
		return nil, fmt.Errorf("it is a worker of another version of mcp-http than replica %s", replica)
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
			o.Tool, replica)
	}
	return tool, nil
}
