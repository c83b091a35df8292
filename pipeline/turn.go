package pipeline

import (
	"context"
	"errors"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A turn is the time of one message in the chain, and the context of everything that it causes. As
// long as it holds the baton no other message comes in.
type turn struct {
	context.Context
	p       *Pipeline
	message *Message
	line    uint64 // the number of its line in the stream, from 1
	resume  func() // takes the messages after this one
	over    func() // is called at its end; nil: nothing is

	coroutine *coroutine              // that takes it through the chain
	promise   atomic.Pointer[Promise] // for which that has gone back; nil: it has not
	passed    atomic.Bool             // it has no baton: passed on, or its turn is over

	onYield    atomic.Pointer[func()]
	handled    atomic.Bool  // the handler was called
	answered   atomic.Bool  // its answer is complete
	follows    atomic.Bool  // it is answered, and functions of Afterwards run
	sends      atomic.Int32 // sends that wait for the wire or the other side
	leaving    atomic.Int32 // messages that are in Leaving doors
	waitsSince atomic.Int64 // when it began to wait, if it holds the baton
	departed   atomic.Bool  // its answer has come to the Outbound doors
	settled    atomic.Int32 // who answers it; see settle
	split      atomic.Int32 // more than 0: its items are at work in its place
	parted     atomic.Bool  // they are answered in its place; see Split

	mu     sync.Mutex
	ends   <-chan struct{}          // see WithCancel
	drives drive                    // by others
	later  []func(context.Context)  // see Afterwards
	first  [1]func(context.Context) // room for the first of them, as every call has one

	previous, next *turn // see turns
}

type turnKey struct{}

func (t *turn) Value(key any) any {
	switch key {
	case turnKey{}:
		return t
	case doorKey{}:
		return nil // no door causes a turn
	}
	return t.Context.Value(key)
}

func turnOf(ctx context.Context) *turn {
	t, ok := ctx.(*turn)
	if !ok {
		t, _ = ctx.Value(turnKey{}).(*turn)
	}
	return t
}

// detached is the context of sends that no message of the pipeline caused.
type detached struct {
	context.Context
	p *Pipeline
}

type detachedKey struct{}

func (o *detached) Value(key any) any {
	switch key {
	case detachedKey{}:
		return o
	case turnKey{}, watchKey{}:
		return nil // the message of another pipeline does not count
	}
	return o.Context.Value(key)
}

// From returns the pipeline of the message of ctx, nil outside of doors and
// handlers.
func From(ctx context.Context) *Pipeline {
	if t := turnOf(ctx); t != nil {
		return t.p
	}
	if o, _ := ctx.Value(detachedKey{}).(*detached); o != nil {
		return o.p
	}
	return nil
}

// Turn returns a value that all contexts of one message have in common and those of no other: a key
// by which two doors of a stage recognise the same message, also when its answer leaves. It is nil
// outside of doors and handlers, and in Outbound doors for sends that no message caused.
func Turn(ctx context.Context) any {
	if t := turnOf(ctx); t != nil {
		return t
	}
	return nil
}

// Place returns where the message of ctx has come in: the name of its stream, random and the same for all of its
// messages, and the number of its line, from 1; 0 for sends that no message caused. Outside of doors and handlers
// the name is empty.
func Place(ctx context.Context) (session string, line uint64) {
	if t := turnOf(ctx); t != nil {
		return t.p.name(), t.line
	}
	if p := From(ctx); p != nil {
		return p.name(), 0
	}
	return "", 0
}

// Yield passes the baton on: the next message may come in while this one is
// still at work. Call it before anything that takes long. Only the first call
// for a message has an effect.
func Yield(ctx context.Context) {
	if t := turnOf(ctx); t != nil {
		t.yield()
	}
}

// OnYield calls f when the message of ctx yields from now on, also if it has done so before: for stages
// that yield themselves, and let the next message go on when this one does. It is not called for a message
// that ends without yielding, which [Afterwards] tells. Only one f waits at a time.
func OnYield(ctx context.Context, f func()) {
	if t := turnOf(ctx); t != nil {
		t.onYield.Store(&f)
	}
}

// Reply answers the message of ctx at once, for a handler that does not return: what that returns later is
// dropped and logged, and what it still sends is refused. The error is that of the way out, and
// [ErrAnswered] if the message was answered before.
func Reply(ctx context.Context, answer *Message) error {
	t := turnOf(ctx)
	if t == nil || !t.settle(byReply) {
		return ErrAnswered
	}
	return t.p.send(t, answer)
}

// settle decides who answers a message; it reports false if it was decided before.
func (t *turn) settle(by int32) bool { return t.settled.CompareAndSwap(0, by) }

const (
	byReturn int32 = iota + 1
	byReply
)

// ErrAnswered is the error for what is sent in the name of a call that has got its answer by [Reply].
var ErrAnswered = errors.New("the call has been answered")

// Waits marks the message of ctx as one that only waits, for others to be answered or for what it writes to be
// read, until over is called: at the end of the input it is abandoned after the grace period, like an answer
// that nobody reads. It holds the baton for a moment at most, so others are read even if it does not [Yield].
func Waits(ctx context.Context) (over func()) {
	t := turnOf(ctx)
	if t == nil {
		return func() {}
	}
	t.begins()
	t.sends.Add(1)
	t.p.move()
	if !t.passed.Load() {
		t.p.watchStall()
	}
	return func() {
		t.sends.Add(-1)
		t.p.move()
	}
}

// Afterwards calls f when the message of ctx has been answered, before its turn ends: what f sends
// follows the answer. It does nothing outside of doors and handlers, or if the turn has ended.
func Afterwards(ctx context.Context, f func(context.Context)) {
	if t := turnOf(ctx); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.later == nil {
			t.later = t.first[:0]
		}
		t.later = append(t.later, f)
	}
}

// runAfterwards calls the functions of Afterwards, in order.
func (t *turn) runAfterwards() {
	for f := t.nextAfterwards(); f != nil; f = t.nextAfterwards() {
		t.follows.Store(true)
		t.guard(f)
	}
}

// nextAfterwards takes the next function of Afterwards, nil if there is none.
func (t *turn) nextAfterwards() func(context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.later) == 0 {
		return nil
	}
	f := t.later[0]
	t.later = t.later[1:]
	return f
}

// guard calls f. A panic in it changes nothing for the message.
func (t *turn) guard(f func(context.Context)) {
	defer func() {
		if r := recover(); r != nil {
			t.p.log.Error("panic after the answer", "method", t.message.method, "id", t.message.id.raw, "panic", r, "stack",
				string(debug.Stack()))
		}
	}()
	f(t)
}

func (t *turn) yield() {
	if f := t.onYield.Swap(nil); f != nil {
		(*f)()
	}
	if !t.passed.Swap(true) {
		go t.resume()
	}
}

// sending counts the sends of a message that is not answered yet.
func (t *turn) sending(n int32) {
	if n > 0 {
		t.begins()
	}
	t.sends.Add(n)
	t.p.move()
	if n > 0 {
		t.mayStall()
	}
}

// mayStall is called when a message begins to wait: a message that stalls lets others in.
func (t *turn) mayStall() {
	switch {
	case t.passed.Load() && t.onYield.Load() == nil:
	case t.p.stall.is.Load() && t.p.roomForTurns():
		t.yield()
	default:
		t.p.watchStall()
	}
}

// begins notes when a message begins to wait, before it counts as one that does.
func (t *turn) begins() {
	if !t.passed.Load() {
		t.waitsSince.Store(time.Now().UnixNano())
	}
}

// end marks the answer as complete.
func (t *turn) end() {
	t.begins()
	t.answered.Store(true)
	t.p.move()
	t.mayStall()
}

// where returns where the message is, for [ErrStuck].
func (t *turn) where() string {
	switch {
	case t.follows.Load():
		return " after its answer"
	case t.leaving.Load() > 0:
		return " in a stage, on its way out"
	case t.answered.Load():
		return ", whose answer has not been sent"
	case t.split.Load() > 0:
		return ", whose items are still running"
	case t.handled.Load():
		return " in the handler"
	}
	return " in a stage"
}

// onlyWaits reports whether the message only waits for the other side.
func (t *turn) onlyWaits() bool {
	return t.split.Load() == 0 && (t.sends.Load() > 0 || t.answered.Load() && (t.leaving.Load() == 0 || t.departed.Load()))
}

// turns are the turns at work, in the order in which they began.
type turns struct {
	first, last *turn
	bytes       int // of all of them
}

// bytes is roughly what a message takes while it is at work. A long line counts as less, so that others
// are still read behind it.
func (t *turn) bytes() int { return turnBytes + min(t.message.Size(), maxWaiting/2) }

func (l *turns) add(t *turn) {
	l.bytes += t.bytes()
	t.previous = l.last
	if l.last == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
}

func (l *turns) remove(t *turn) {
	l.bytes -= t.bytes()
	if t.previous == nil {
		l.first = t.next
	} else {
		t.previous.next = t.next
	}
	if t.next == nil {
		l.last = t.previous
	} else {
		t.next.previous = t.previous
	}
	t.previous, t.next = nil, nil
}

// Split handles the items of a message in order, each as if it had come on a line of its own: it
// calls next for each, with its own baton, and sends its answer as soon as it is ready. Split
// returns when all are answered, or, if the pipeline is stopped, the running ones; so a door that
// splits ends with
//
//	return nil, pipeline.Split(ctx, m.Items(), next)
//
// A single item, as in slices.Values([]*Message{mended}), replaces a line that could not be read: it is
// answered or refused with its own id.
func Split(ctx context.Context, items iter.Seq[*Message], next Handler) error {
	whole := turnOf(ctx)
	if whole == nil {
		return errors.New("split: the context is not that of a message")
	}
	whole.split.Add(1)
	whole.parted.Store(true)
	defer whole.split.Add(-1)
	p := whole.p
	next = p.trace.chainIn(next)
	take, stop := iter.Pull(items)
	defer stop()
	var working sync.WaitGroup
	var atWork atomic.Int32
	var from func(m *Message)
	from = func(m *Message) {
		for m != nil && !p.isStopped() {
			behind, _ := take()
			item := &turn{Context: ctx, p: p, message: m, line: whole.line, resume: func() { from(behind) }}
			item.over = func() { atWork.Add(-1); working.Done() }
			atWork.Add(1)
			working.Add(1)
			p.enter(item)
			p.run(item, next)
			if item.passed.Swap(true) {
				return // another goroutine goes on with the next item
			}
			m = behind
		}
		if atWork.Load() > 0 {
			whole.yield()
		}
		working.Done()
	}
	working.Add(1)
	first, _ := take()
	from(first)
	working.Wait()
	return nil
}
