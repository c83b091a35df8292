package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Options are what a pipeline can do without. The zero value works.
type Options struct {
	// Drain is how long messages that were read may take to be answered once
	// the input has ended; after it they are cancelled. Zero is no limit.
	Drain time.Duration
	// Trace is told of every stage that a message enters. Nil costs nothing.
	Trace Tracer
	// Abandon is told of calls of ours whose context ended before the answer
	// came, and why. It may send, with the given context: what it sends is caused
	// by no message. Nil: the other side is not told.
	Abandon func(ctx context.Context, id ID, cause error)
	// Log takes what nobody else is told: panics, and errors that have no
	// answer. Nil is slog.Default.
	Log *slog.Logger
}

// A Pipeline takes the messages of one stream through a chain of stages to a
// handler, and what is sent back through the same chain to the stream. All its
// methods may be called from several goroutines.
type Pipeline struct {
	stream  jsonrpc2.ObjectStream
	handle  Handler // the whole way in
	leave   Sender  // the whole way out; call with wire held
	drain   time.Duration
	abandon func(context.Context, ID, error)
	log     *slog.Logger
	context context.Context // of all turns; set by Run
	resume    func()          // loop, as a value made once; set by Run

	arriving json.RawMessage // the line being read; whoever holds the baton has it

	wire    sync.Mutex      // guards the way out
	leaving json.RawMessage // guarded by wire
	wrote   bool            // guarded by wire: what is being sent has reached the stream
	closed  bool            // guarded by wire: nothing leaves any more

	calls calls         // of our own, waiting for their responses
	inputClosed  chan struct{} // closed when nothing comes in any more

	mu      sync.Mutex
	lines   uint64        // read so far
	turns   int           // at work
	ending  bool          // no turn begins any more
	idle    chan struct{} // closed when ending and no turn is at work
	finish  sync.Once
	over    chan struct{} // closed by Finish
	stop    sync.Once
	stopped chan struct{} // closed by Stop
	cause   error         // why it was stopped; written before stopped is closed
}

// New returns a pipeline over stream. Messages pass the chain in the order of
// the list on their way in, and against it on their way out. handler gets the
// calls and notifications that reach the end of the chain; responses go to
// whoever waits for them.
func New(stream jsonrpc2.ObjectStream, chain []Middleware, handler Handler, o Options) *Pipeline {
	p := &Pipeline{
		stream:  stream,
		drain:   o.Drain,
		abandon: o.Abandon,
		log:     o.Log,
		context: context.Background(),
		inputClosed:    make(chan struct{}),
		idle:    make(chan struct{}),
		over:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	if p.log == nil {
		p.log = slog.Default()
	}
	p.handle = inbound(chain, p.end(handler), o.Trace)
	p.leave = outbound(chain, p.write, o.Trace)
	return p
}

// Run serves the stream until it ends and returns when no handler runs any
// more; then it closes the stream. It may be called once.
//
// At the end of the input what was read is still answered, within
// Options.Drain. When ctx is done, or after Stop, running calls are cancelled
// at once. The error is nil after the end of input, Finish and Stop(nil),
// otherwise the reading or writing error, the error of Stop, or the cause of
// ctx.
func (p *Pipeline) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrClosed)
	p.context = ctx
	ended := make(chan error, 1)
	p.resume = func() {
		if err := p.loop(); err != nil {
			ended <- err
		}
	}
	go p.resume()

	var result error
	select {
	case err := <-ended:
		if err != io.EOF {
			result = fmt.Errorf("read: %w", err)
		}
	case <-p.over:
	case <-p.stopped:
	case <-ctx.Done():
		result = context.Cause(ctx)
	}
	close(p.inputClosed)
	p.settle(ctx)
	cancel(ErrClosed)
	<-p.idle
	p.wire.Lock()
	p.closed = true
	p.wire.Unlock()
	p.stream.Close()
	if p.isStopped() && p.cause != nil { // perhaps only while the last calls ended
		result = p.cause
	}
	return result
}

// Stop ends the pipeline: no message is served any more but those that run,
// they are cancelled, and Run returns err once they are gone. Their answers
// still leave, so a handler may stop the pipeline and answer. Only the first
// call has an effect.
func (p *Pipeline) Stop(err error) {
	p.stop.Do(func() {
		p.cause = err
		close(p.stopped)
		p.seal()
	})
}

// Finish ends the pipeline as the end of the input does: no message is served
// any more but those that were read, and they are answered. It returns at once,
// so a handler may call it and answer. Run returns nil when all is done.
func (p *Pipeline) Finish() {
	p.finish.Do(func() {
		p.seal()
		close(p.over)
	})
}

// Ending is closed when nothing comes in any more. A handler that waits for
// nothing but its cancellation ends then, as the pipeline waits for it.
func (p *Pipeline) Ending() <-chan struct{} { return p.inputClosed }

func (p *Pipeline) isStopped() bool {
	select {
	case <-p.stopped:
		return true
	default:
		return false
	}
}

// loop holds the baton: it takes message after message through the chain until
// one passes the baton on, the input ends (io.EOF) or the pipeline does.
func (p *Pipeline) loop() error {
	for {
		m, err := p.read()
		if err != nil {
			return err
		}
		line, ok := p.begin()
		if !ok {
			return nil
		}
		t := &turn{Context: p.context, p: p, line: line, resume: p.resume}
		p.serve(t, m, p.handle)
		p.done()
		if t.passed.Swap(true) {
			return nil
		}
	}
}

// read takes the next message from the stream. A line that the stream refuses
// is a malformed message.
func (p *Pipeline) read() (*Message, error) {
	err := p.stream.ReadObject(&p.arriving)
	if err == nil {
		return Parse(p.arriving), nil
	}
	var refused *LineError
	if errors.As(err, &refused) {
		return &Message{line: refused.Line, fault: refused.Fault}, nil
	}
	return nil, err
}

// serve takes one message through h and sends its answer. It is the last to
// stand when something panics.
func (p *Pipeline) serve(t *turn, m *Message, h Handler) {
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("panic", "method", m.method, "id", m.id.raw, "panic", r, "stack", string(debug.Stack()))
			if m.kind != Notification && m.kind != Response {
				p.wire.Lock()
				defer p.wire.Unlock()
				p.write(t, m.Refuse(fmt.Errorf("%w: panic", ErrInternal)))
			}
		}
	}()
	defer t.finish()
	answer, err := h(t, m)
	if fatal := fatalIn(err); fatal != nil {
		p.Stop(fatal.err)
		return
	}
	switch {
	case m.kind == Notification || m.kind == Response: // never answered (J-10)
		if err != nil {
			p.log.Debug("notification failed", "method", m.method, "error", err)
		}
		return
	case err != nil:
		answer = m.Refuse(err)
	}
	if answer != nil {
		if err := p.send(t, answer); err != nil {
			p.log.Debug("answer not sent as it was", "method", m.method, "id", m.id.raw, "error", err)
		}
	}
}

// end is the handler behind the last stage: it answers what is no call and
// brings responses to those who wait for them.
func (p *Pipeline) end(h Handler) Handler {
	return func(ctx context.Context, m *Message) (*Message, error) {
		switch m.kind {
		case Malformed:
			return nil, m.fault
		case Batch:
			return nil, fmt.Errorf("%w: batches are not accepted", ErrInvalidRequest)
		case Response:
			if !p.calls.resolve(m) {
				p.log.Debug("response to no call of ours", "id", m.id.raw)
			}
			return nil, nil
		}
		return h(ctx, m)
	}
}

// begin starts a turn and numbers its line; it reports false when no turn
// begins any more.
func (p *Pipeline) begin() (line uint64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending {
		return 0, false
	}
	p.lines++
	p.turns++
	return p.lines, true
}

// done ends a turn.
func (p *Pipeline) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns--
	if p.ending && p.turns == 0 {
		close(p.idle)
	}
}

// seal lets no turn begin any more.
func (p *Pipeline) seal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending {
		return
	}
	p.ending = true
	if p.turns == 0 {
		close(p.idle)
	}
}

// settle lets no turn begin any more and waits until what was read is answered,
// within the drain time, or until the pipeline is stopped.
func (p *Pipeline) settle(ctx context.Context) {
	p.seal()
	var limit <-chan time.Time
	if p.drain > 0 {
		timer := time.NewTimer(p.drain)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case <-p.idle:
	case <-limit:
	case <-p.stopped:
	case <-ctx.Done():
	}
}
