package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Options are the optional settings of a pipeline. The zero value works.
type Options struct {
	// Drain is how long messages that were read may take to be answered once the input has ended;
	// then they are cancelled. Zero means no limit.
	Drain time.Duration
	// Grace is how long Run waits for what does not end by itself: a handler that ignores its
	// context, a write that the other side does not read; see [Pipeline.Run]. Zero is ten seconds.
	Grace time.Duration
	// Trace is called for every stage that a message enters. Nil costs nothing.
	Trace Tracer
	// Abandon is called for calls of ours that were given up before the answer came, with the
	// cause. It may send, with the given context: what it sends is caused by no message. Nil: the
	// other side is not notified.
	Abandon func(ctx context.Context, id ID, cause error)
	// BeforeClose is called once, after everything that was read has been answered and
	// before the way out closes: what it sends leaves last. It has to return within what
	// is left of the grace period. Nil: nothing is called.
	BeforeClose func(ctx context.Context)
	// CallIDs begins the ids of our own calls: with "relay-" they are "relay-1", "relay-2". Empty: they
	// are 1, 2. It tells them apart from calls of a server behind the pipeline.
	CallIDs string
	// Dialect is that of the stream. Here it only decides how the pipeline writes what is not there.
	Dialect Dialect
	// Log takes what cannot be reported to the other side: panics, and errors without an answer.
	// Nil is slog.Default.
	Log *slog.Logger
}

// A Pipeline takes the messages of one stream through a chain of stages to a handler, and sends
// answers and other messages back through the same chain. All its methods may be called from
// several goroutines.
type Pipeline struct {
	stream      jsonrpc2.ObjectStream
	handle      Handler // the whole way in
	prelude     Sender  // the way out up to the wire; nil: there are no Leaving doors
	outbound    Sender  // the rest of the way out; call with wire held
	drain       time.Duration
	grace       time.Duration
	abandon     func(context.Context, ID, error)
	beforeClose func(context.Context)
	trace       Tracer
	nulls       bool // see Dialect
	log         *slog.Logger
	name        func() string   // of the stream; see Place
	context     context.Context // of all turns; set by Run
	resume      func()          // loop, as a value made once; set by Run
	coroutines  coroutines      // that take turns through the chain

	reader *Reader                // belongs to the holder of the baton
	onward atomic.Pointer[NDJSON] // where most of what comes in leads to a write; nil if it is another stream

	wire    wire            // guards the way out
	leaving json.RawMessage // guarded by wire
	wrote   bool            // guarded by wire: the current message has reached the stream
	ndjson  *NDJSON         // the stream, nil if it is another
	closed  atomic.Bool     // nothing may leave any more
	stall   stall

	departing atomic.Pointer[Message] // the message that has the wire, nil for none
	writing   atomic.Bool             // it is being written to the stream

	calls calls // our own, waiting for their responses

	mu      sync.Mutex
	lines   uint64      // read so far
	turns   turns       // at work
	sealed  atomic.Bool // no turn may begin any more; written with mu held
	delayed []*delayed  // see Later

	inputClosed chan struct{} // closed when the input has ended
	idle        chan struct{} // closed when sealed and no turn is at work
	moved       chan struct{} // has a value when sealed and a turn has moved

	finish  sync.Once
	over    chan struct{} // closed by Finish
	stop    sync.Once
	stopped chan struct{} // closed by Stop
	cause   error         // why it was stopped; written before stopped is closed
	why     error         // see Why; written by Run
}

// New returns a pipeline over stream. Messages pass the chain in the order of the list on their way
// in, and in reverse order on their way out. handler gets the calls and notifications that reach
// the end of the chain; responses go to the calls of ours that wait for them.
//
// The stream returns a line as it is into a *json.RawMessage, and does not write to it afterwards.
// [NDJSON] and [ContentLength] continue after a line that is not JSON. Streams that decode what they read,
// as those of jsonrpc2, go on as far as they can: the codecs with a length after a body of up to 512 bytes,
// a stream that only repeats its error not at all. The client is answered in any case.
func New(stream jsonrpc2.ObjectStream, chain []Middleware, handler Handler, o Options) *Pipeline {
	p := &Pipeline{
		stream:      stream,
		drain:       o.Drain,
		grace:       o.Grace,
		abandon:     o.Abandon,
		beforeClose: o.BeforeClose,
		trace:       o.Trace,
		nulls:       o.Dialect.Nulls,
		log:         o.Log,
		name:        sync.OnceValue(func() string { return rand.Text()[:10] }),
		inputClosed: make(chan struct{}),
		idle:        make(chan struct{}),
		moved:       make(chan struct{}, 1),
		over:        make(chan struct{}),
		stopped:     make(chan struct{}),
		wire:        newWire(),
	}
	if p.grace <= 0 {
		p.grace = 10 * time.Second
	}
	if p.log == nil {
		p.log = slog.Default()
	}
	p.calls.prefix = o.CallIDs
	p.ndjson, _ = stream.(*NDJSON)
	p.onward.Store(p.ndjson)
	p.reader = &Reader{stream: stream, onward: p.onward.Load}
	p.handle = o.Trace.chainIn(inbound(chain, p.end(handler), o.Trace))
	p.outbound = o.Trace.chainOut(outbound(chain, p.write, o.Trace))
	if slices.ContainsFunc(chain, func(s Middleware) bool { return s.Leaving != nil }) {
		p.prelude = leaving(chain, p.depart, o.Trace)
	}
	return p
}

// Run serves the stream until it ends and returns when no handler is running any more; then it
// closes the stream. It may be called once.
//
// At the end of the input the messages that were read are still answered, within Options.Drain.
// When ctx is done, after Stop, or when the stream cannot be written to, running calls are
// cancelled at once. The error is nil after the end of input, Finish, Stop(nil) and Stop with an
// [End], otherwise the reading or writing error, the error of Stop, or the cause of ctx.
//
// Run returns at the latest Options.Grace after the last call has ended or was cancelled; with Options.Drain,
// at the latest Grace after the end of the input, or Drain and half of Grace if that is longer. If
// something is stuck, its error wraps [ErrStuck] and names what it left behind. Calls that only
// wait for a write that the other side does not read count as ended; they are cancelled after half
// of that time.
func (p *Pipeline) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrClosed)
	p.context = ctx
	defer context.AfterFunc(ctx, p.wake)()
	p.stall.timer = time.AfterFunc(stallTime, p.checkStall)
	p.stall.timer.Stop()
	ended := make(chan error, 1)
	p.resume = func() {
		if err := p.loop(); err != nil {
			ended <- err
		}
	}
	defer p.coroutines.close()
	go p.resume()

	var result error
	select {
	case err := <-ended:
		if result = EndOfInput; err != io.EOF {
			result = fmt.Errorf("read: %w", err)
		}
	case <-p.over:
		result = Finished
	case <-p.stopped:
		result = Stopped
	case <-ctx.Done():
		result = context.Cause(ctx)
	}
	close(p.inputClosed)
	p.seal()
	stuck := p.settle(ctx, cancel)
	if p.isStopped() && p.cause != nil { // perhaps only while the last calls ended
		result = p.cause
	}
	p.why = result
	if end := End(""); errors.As(result, &end) {
		result = nil
	}
	switch {
	case stuck == nil:
		return result
	case result == nil:
		return stuck
	}
	return fmt.Errorf("%w; %w", result, stuck)
}

// Why returns why the pipeline has ended: an [End] if Run returned nil. Call it after Run has
// returned.
func (p *Pipeline) Why() error { return p.why }

// An End is the reason for the end of a pipeline without a fault.
type End string

// These are the ends of every pipeline. A caller of Stop may pass another.
const (
	EndOfInput End = "end of input"
	Finished   End = "finished" // by Finish
	Stopped    End = "stopped"  // by Stop(nil)
)

func (e End) Error() string { return string(e) }

// Stop ends the pipeline: no further message is served, running ones are cancelled, and Run returns
// err when they have ended, or nil for an [End]. Their answers still leave, so a handler may stop
// the pipeline and answer. Only the first call has an effect.
func (p *Pipeline) Stop(err error) {
	p.stop.Do(func() {
		p.cause = err
		close(p.stopped)
		p.seal()
	})
}

// Finish ends the pipeline as the end of the input does: no further message is read, and those that
// were read are answered. It returns at once, so a handler may call it and answer. Run returns nil
// when all is done.
func (p *Pipeline) Finish() {
	p.finish.Do(func() {
		p.seal()
		close(p.over)
	})
}

// Ending returns a channel that is closed when the input has ended. A handler that waits for
// nothing but its cancellation returns then, as the pipeline waits for it.
func (p *Pipeline) Ending() <-chan struct{} { return p.inputClosed }

func (p *Pipeline) isStopped() bool {
	select {
	case <-p.stopped:
		return true
	default:
		return false
	}
}

// loop holds the baton: it takes message after message through the chain until one passes the baton
// on, the input ends (io.EOF) or the pipeline is stopped.
func (p *Pipeline) loop() error {
	for {
		m, err := p.reader.Read()
		if err != nil {
			return err
		}
		t := &turn{Context: p.context, p: p, message: m, resume: p.resume}
		if !p.begin(t) {
			return nil
		}
		p.run(t, p.handle)
		if t.passed.Swap(true) {
			return nil
		}
	}
}

// serve takes the message of a turn through h, sends its answer, and then calls what was registered
// with Afterwards.
func (p *Pipeline) serve(t *turn, h Handler) {
	answer := p.answer(t, h)
	t.end()
	switch {
	case !t.settle(byReturn):
		p.log.Warn("a call ended after it had been answered; what it returned is dropped", "method", t.message.method, "id",
			t.message.id.raw)
	case answer != nil:
		if err := p.send(t, answer); err != nil {
			p.log.Debug("answer replaced or dropped", "method", t.message.method, "id", t.message.id.raw, "error", err)
		}
	}
	t.runAfterwards()
}

// answer takes the message of a turn through h and returns the answer to send. It recovers from
// panics that no stage has recovered from.
func (p *Pipeline) answer(t *turn, h Handler) (answer *Message) {
	m := t.message
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("panic", "method", m.method, "id", m.id.raw, "panic", r, "stack", string(debug.Stack()))
			if m.Answerable() {
				answer = m.Refuse(fmt.Errorf("%w: panic", ErrInternal))
			}
		}
	}()
	answer, err := h(t, m)
	if fatal := fatalIn(err); fatal != nil {
		p.Stop(fatal.err)
		return nil
	}
	switch {
	case !m.Answerable(): // J-10, J-24
		if err != nil {
			p.log.Debug("message without an answer failed", "kind", m.kind, "method", m.method, "error", err)
		}
		return nil
	case err != nil:
		return m.Refuse(err)
	case answer == nil && m.kind == Call && !t.parted.Load():
		p.log.Warn("a call was not answered: a stage or the handler has dropped it", "method", m.method, "id", m.id.raw)
	}
	return answer
}

// end returns the handler behind the last stage: it answers messages that are not calls and
// delivers responses to our calls.
func (p *Pipeline) end(h Handler) Handler {
	return func(ctx context.Context, m *Message) (*Message, error) {
		switch {
		case m.kind == Response || m.response:
			if !p.calls.resolve(m) {
				p.log.Debug("response to an unknown call", "id", m.id.raw, "error", m.fault)
			}
			return nil, nil
		case m.kind == Malformed:
			return nil, m.fault
		case m.kind == Batch:
			return nil, fmt.Errorf("%w: batches are not accepted", ErrInvalidRequest)
		}
		if t := turnOf(ctx); t != nil {
			t.handled.Store(true)
			defer t.handled.Store(false)
		}
		return h(ctx, m)
	}
}
