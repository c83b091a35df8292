package calls

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Caller sends calls to workers. It is a [handlers.Runner], and may be used by several goroutines.
type Caller struct {
	*peer
	options  CallerOptions
	versions Versions
	reports  *nats.Subscription
	workers  workers
	repeated atomic.Uint64 // offers
	calls    table

	mu      sync.Mutex
	waiting map[string]*waiting            // by call
	turns   map[string]*semaphore.Weighted // of calls on offer, by tool
	free    *vacancy                       // the next one
}

// CallerOptions configure a Caller.
type CallerOptions struct {
	Options
	// MaxWaiting is the maximum number of calls that wait for a worker, MaxWait for how long they
	// may. Zero: 256 and 30 s.
	MaxWaiting int
	MaxWait    time.Duration
	// Limits are the time limits of calls. Workers end what takes too long; if one does not, the Caller gives the call
	// up some time later.
	Limits run.Limits
}

const (
	// DefaultMaxWaiting and DefaultMaxWait are the defaults of CallerOptions.
	DefaultMaxWaiting = 256
	DefaultMaxWait    = 30 * time.Second
)

// NewCaller returns a Caller. It must be closed.
func NewCaller(o CallerOptions) (*Caller, error) {
	if o.MaxWaiting == 0 {
		o.MaxWaiting = DefaultMaxWaiting
	}
	if o.MaxWait == 0 {
		o.MaxWait = DefaultMaxWait
	}
	c := &Caller{
		options: o, waiting: make(map[string]*waiting), turns: make(map[string]*semaphore.Weighted),
		free: &vacancy{came: make(chan struct{})}, workers: workers{known: make(map[string]seenWorker)},
	}
	var err error
	if c.peer, err = newPeer(o.Options, "r", c.offered); err != nil {
		return nil, err
	}
	if c.reports, err = o.Conn.Subscribe(c.subject(everyReplica)+".*.*.-.*", c.reported); err != nil {
		c.peer.close()
		return nil, err
	}
	return c, nil
}

// everyReplica is the address of all replicas together.
const everyReplica = "r.all.all"

// Close closes the Caller. Workers end the calls that it has sent.
func (c *Caller) Close() {
	_ = c.reports.Unsubscribe() // the connection may be closed
	c.peer.close()
}

// Call implements [handlers.Runner]: the tool runs at a worker.
func (c *Caller) Call(ctx context.Context, call handlers.ToolCall) (*mcp.CallToolResult, error) {
	id := rand.Text()
	row := c.calls.add(id, call.Tool.Name)
	defer c.calls.remove(row)
	began := time.Now()
	l, err := c.place(ctx, id, call.Tool)
	if err != nil {
		return nil, err
	}
	pipeline.Note(ctx, "slot after", time.Since(began), "worker", l.name)
	defer c.unlink(l)
	row.setPeer(l.name)
	bound, watched, release := c.options.Limits.Bound(ctx, call, c.Patience+patienceWithCancel)
	defer release()
	r, err := c.converse(bound, l, watched)
	switch {
	case err == nil || errors.As(err, new(*failure)): // the call has ended
		return r, err
	case ctx.Err() != nil:
		c.cancel(l, context.Cause(ctx))
		return nil, context.Cause(ctx)
	}
	if bound.Err() != nil {
		err = fmt.Errorf("%s has not ended it at its time limit", l.name)
	}
	c.drop(l, err) // in case the worker is still running
	if errors.As(err, new(errTooLong)) {
		return nil, fmt.Errorf("%w: the arguments: %w", pipeline.ErrInternal, err)
	}
	c.Log.Warn("a call was lost", "tool", call.Tool.Name, "worker", l.name, "error", err)
	return nil, fmt.Errorf("%w: %w", pipeline.ErrInternal, lost{err})
}

// lost is the error of a call whose outcome is unknown.
type lost struct{ why error }

func (e lost) Error() string {
	return fmt.Sprintf("the call was lost: worker %v; what the tool has done until then is done, and it is not run again",
		e.why)
}

// converse sends a call to its worker and passes on the worker's messages, until the call has ended.
func (c *Caller) converse(ctx context.Context, l *link, call handlers.ToolCall) (*mcp.CallToolResult, error) {
	if err := l.send(ctx, kindBegin, beginOf(call)); err != nil {
		return nil, err
	}
	asking := newAsker(ctx, l, call)
	defer asking.end()
	for {
		m, err := l.next(ctx)
		if err != nil {
			return nil, err
		}
		switch m.kind {
		case kindProgress:
			var p mcp.ProgressParams
			if err = json.Unmarshal(m.data, &p); err == nil && call.Progress != nil {
				p.Meta = mcp.TraceOf(call.Meta)
				_ = call.Progress(ctx, p) // as without workers, the tool does not get the error
			}
		case kindLog:
			var p logged
			if err = json.Unmarshal(m.data, &p); err == nil && call.Log != nil {
				_ = call.Log(ctx, mcp.LogParams{Level: p.Level, Logger: p.Logger, Data: p.Data, Meta: mcp.TraceOf(call.Meta)})
			}
		case kindAsk:
			var q questions
			if err = json.Unmarshal(m.data, &q); err == nil {
				asking.ask(q)
			}
		case kindDismiss:
			var q questions
			if err = json.Unmarshal(m.data, &q); err == nil {
				asking.dismiss(q.Number)
			}
		case kindResult:
			var r *mcp.CallToolResult
			if r, err = decodeResult(m.data); err == nil {
				l.ack()
				return r, nil
			}
		case kindFailed:
			var f failure
			if err = json.Unmarshal(m.data, &f); err == nil {
				l.ack()
				return nil, &f
			}
		default:
			err = errors.New("its kind is unknown")
		}
		if err != nil {
			return nil, fmt.Errorf("%s sends a message %q that cannot be read: %w", l.name, m.kind, err)
		}
		l.ack()
	}
}

// cancel has a worker end a call, and returns when it has, or after patienceWithCancel.
func (c *Caller) cancel(l *link, why error) {
	ctx, cancel := context.WithTimeout(context.Background(), patienceWithCancel)
	defer cancel()
	if l.send(ctx, kindCancel, failure{Message: why.Error()}) != nil {
		return
	}
	for {
		m, err := l.next(ctx)
		if err != nil {
			return
		}
		l.ack()
		if m.kind == kindResult || m.kind == kindFailed {
			return
		}
	}
}

// patienceWithCancel is how long a worker may take to end a tool before others may be run in the place
// of it: a script has two seconds to end by itself, see process.DefaultGrace.
const patienceWithCancel = 3 * time.Second

// beginOf returns the message with which a call begins.
func beginOf(c handlers.ToolCall) begin {
	b := begin{
		Arguments: present(c.Args), Meta: present(c.Meta), Revision: c.Revision.Version, Folders: c.Folders,
		Asks: c.Ask != nil, AsksRoots: c.Roots != nil, Patient: c.Patient, Missing: c.MissingCapability,
	}
	if c.Timeout != nil {
		b.Timeout = int64(*c.Timeout)
	}
	for _, name := range capabilities {
		if c.Supports != nil && c.Supports(name) {
			b.Capabilities = append(b.Capabilities, name)
		}
	}
	return b
}

// present returns text, nil if it is empty.
func present(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return nil
	}
	return text
}

// capabilities are all capabilities of clients that a script can ask for; see sdk.Call.
var capabilities = []string{"roots", "sampling", "sampling.tools", "sampling.context", "elicitation", "elicitation.url",
	"ui", "tasks"}

// decodeResult reads the result of a tool.
func decodeResult(text []byte) (*mcp.CallToolResult, error) {
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	made := &mcp.CallToolResult{Content: make([]mcp.Content, len(r.Content)), StructuredContent: r.StructuredContent,
		IsError: r.IsError}
	for i, block := range r.Content {
		made.Content[i] = mcp.ContentOf(block)
	}
	for name, value := range r.Meta {
		made.SetMeta(name, value)
	}
	return made, nil
}
