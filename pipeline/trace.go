package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// A Tracer is told what each stage did with each message, in the order in which
// it happens. It is called from many goroutines and must not send. No stage
// knows of it, and what leaves on the wire is the same with and without it.
type Tracer func(Step)

// A Step is what one stage did with one message.
type Step struct {
	Line    uint64    // which line of the input caused it, from 1; 0: none did
	Out     bool      // on the way out
	At      time.Time // when the message entered the stage
	Stage   string    // "handler" for what stands behind the last stage, "chain" for all stages
	Message *Message
	Cause   *Message // what Message was sent for, on the way out; nil: no message caused it
	Verdict Verdict
	Reason  string        // why, where there is more to say
	Took    time.Duration // from entering the stage until its verdict

	// From and To are what the stage changed and what it made of it: Message, or the
	// answer that came back to the stage. Nil for every verdict but VerdictChanged,
	// and From where an answer came from nothing.
	From, To *Message
}

// Verdict is what a stage did with a message.
type Verdict string

const (
	VerdictPassed   Verdict = "passed"   // went on as it came
	VerdictChanged  Verdict = "changed"  // went on, or came back, as another message
	VerdictSplit    Verdict = "split"    // went on in parts
	VerdictAnswered Verdict = "answered" // answered here
	VerdictRefused  Verdict = "refused"  // answered here with an error
	VerdictDropped  Verdict = "dropped"  // ended here without an answer
	// VerdictDone is that of the chain: the message, with all parts of it, is through,
	// and no step on its way follows. On the way in its answer is ready to be sent.
	VerdictDone Verdict = "done"
)

// watch is the look at one message in one stage.
type watch struct {
	tracer Tracer
	step   Step

	turn   *turn      // of the message
	mu     sync.Mutex // a door may call next from several goroutines
	went   bool       // the message, or another one for it, went on
	apart  bool       // what went on is answered on its own; see Split
	answer *Message   // what next returned last
	err    error
}

func (t Tracer) watch(ctx context.Context, stage string, out bool, m *Message) *watch {
	w := &watch{tracer: t, step: Step{Out: out, At: time.Now(), Stage: stage, Message: m}, turn: turnOf(ctx)}
	if w.turn != nil {
		w.step.Line = w.turn.line
		if out {
			w.step.Cause = w.turn.message
		}
	}
	return w
}

func (w *watch) report(v Verdict, reason error) { w.reportChange(v, reason, nil, nil) }

func (w *watch) reportChange(v Verdict, reason error, from, to *Message) {
	step := w.step
	step.Verdict, step.Took = v, time.Since(step.At)
	step.From, step.To = from, to
	if wire, ok := reason.(*jsonrpc2.Error); ok {
		step.Reason = wire.Message // what the client reads, without the prefix of the library
	} else if reason != nil {
		step.Reason = reason.Error()
	}
	w.tracer(step)
}

// passedOn notes that the stage calls next with m.
func (w *watch) passedOn(ctx context.Context, m *Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.went && m == w.step.Message:
		w.report(VerdictPassed, nil)
	case !w.went && w.step.Message.kind == Batch:
		w.report(VerdictSplit, nil)
	case !w.went:
		w.reportChange(VerdictChanged, nil, w.step.Message, m)
	}
	w.went = true
	w.apart = w.apart || turnOf(ctx) != w.turn
}

// answered notes what next returned.
func (w *watch) answered(answer *Message, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer, w.err = answer, err
}

// ends notes what the stage returned, where that says something new.
func (w *watch) ends(answer *Message, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.went && (w.apart || answer == w.answer && (err == nil) == (w.err == nil)):
	case err != nil:
		w.report(VerdictRefused, err)
	case answer == nil:
		w.report(VerdictDropped, nil)
	case w.went:
		w.reportChange(VerdictChanged, nil, w.answer, answer)
	case answer.fault != nil:
		w.report(VerdictRefused, answer.fault)
	default:
		w.report(VerdictAnswered, nil)
	}
}

func (t Tracer) inbound(stage Middleware, next Handler) Handler {
	return func(ctx context.Context, m *Message) (*Message, error) {
		w := t.watch(ctx, stage.Name, false, m)
		answer, err := stage.Inbound(ctx, m, func(ctx context.Context, m *Message) (*Message, error) {
			w.passedOn(ctx, m)
			answer, err := next(ctx, m)
			w.answered(answer, err)
			return answer, err
		})
		w.ends(answer, err)
		return answer, err
	}
}

func (t Tracer) outbound(stage Middleware, next Sender) Sender {
	return func(ctx context.Context, m *Message) error {
		w := t.watch(ctx, stage.Name, true, m)
		err := stage.Outbound(ctx, m, func(ctx context.Context, m *Message) error {
			w.passedOn(ctx, m)
			err := next(ctx, m)
			w.answered(nil, err)
			return err
		})
		w.ends(nil, err)
		return err
	}
}

// handler watches what stands behind the last stage.
func (t Tracer) handler(h Handler) Handler {
	return func(ctx context.Context, m *Message) (*Message, error) {
		w := t.watch(ctx, "handler", false, m)
		answer, err := h(ctx, m)
		if answer == nil && err == nil {
			w.report(VerdictPassed, nil) // a notification or response, as it should be
		} else {
			w.ends(answer, err)
		}
		return answer, err
	}
}

// whole notes when a message is through the chain on its way in.
func (t Tracer) whole(h Handler) Handler {
	if t == nil {
		return h
	}
	return func(ctx context.Context, m *Message) (*Message, error) {
		defer t.watch(ctx, "chain", false, m).report(VerdictDone, nil) // also when it panics
		return h(ctx, m)
	}
}

// sent notes when a message is through the chain on its way out.
func (t Tracer) sent(send Sender) Sender {
	if t == nil {
		return send
	}
	return func(ctx context.Context, m *Message) error {
		defer t.watch(ctx, "chain", true, m).report(VerdictDone, nil)
		return send(ctx, m)
	}
}
