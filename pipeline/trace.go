package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// A Tracer is called for each step of each message through a stage, in order: when the message enters the
// stage, when the stage says something of it ([Note]), and for each verdict. It is called from
// many goroutines and must not send. Stages do not see it, and the output on the wire is the same
// with and without it.
type Tracer func(Step)

// A Step is what one stage did with one message.
type Step struct {
	Turn    any       // the same for all steps that one message causes; see [Turn]
	Session string    // the name of the stream; see [Place]
	Line    uint64    // the number of the line that caused it, from 1; 0: none did
	Out     bool      // on the way out
	At      time.Time // when the message entered the stage
	Stage   string    // "handler" for what is behind the last stage, "chain" for all stages
	Message *Message
	Cause   *Message // the message that caused Message, on the way out; nil: none
	Verdict Verdict
	Reason  string        // more detail, if there is any
	Took    time.Duration // from entering the stage until its verdict

	// Notes are what the stage says of a message, with VerdictNoted.
	Notes []slog.Attr

	// Unanswered is set with VerdictDone on the way in if no answer follows.
	Unanswered bool

	// From and To are the message that the stage changed and its replacement: of Message, or of the
	// answer that came back to the stage. They are nil for every verdict but VerdictChanged, and
	// From is nil for an answer that the stage created.
	From, To *Message
}

// Verdict is what a stage did with a message.
type Verdict string

const (
	VerdictEntered  Verdict = "entered"  // none yet: the message has come to the stage
	VerdictNoted    Verdict = "noted"    // none: see [Note]
	VerdictPassed   Verdict = "passed"   // passed on as it came
	VerdictChanged  Verdict = "changed"  // passed on, or returned, as another message
	VerdictSplit    Verdict = "split"    // passed on in parts
	VerdictAnswered Verdict = "answered" // answered here
	VerdictRefused  Verdict = "refused"  // answered here with an error
	VerdictDropped  Verdict = "dropped"  // ended here without an answer
	// VerdictDone is that of the chain: the message, with all its parts, is through, and no step on
	// its way follows. On the way in its answer is ready to be sent.
	VerdictDone Verdict = "done"
)

// Note says in the trace what a stage does with the message of ctx, or why: "ended call" and 5, say. More
// pairs of a key and a value may follow. Keys are the same for every message, values are what differs. Without
// a trace it does nothing.
func Note(ctx context.Context, key string, value any, more ...any) {
	if w, _ := ctx.Value(watchKey{}).(*watch); w != nil {
		step := w.step
		step.Verdict, step.Took = VerdictNoted, time.Since(step.At)
		step.Notes = slog.Group("", append([]any{key, value}, more...)...).Value.Group()
		w.tracer(step)
	}
}

// WithNotes returns ctx as one in which [Note] says something of the message of another context: for work that may
// outlast that message.
func WithNotes(ctx, of context.Context) context.Context {
	if w := of.Value(watchKey{}); w != nil {
		ctx = context.WithValue(ctx, watchKey{}, w)
	}
	return ctx
}

// Noting returns ctx as one in which what [Note] says goes to a tracer: for work without a message.
func Noting(ctx context.Context, to Tracer) context.Context {
	return context.WithValue(ctx, watchKey{}, &watch{tracer: to, step: Step{At: time.Now()}})
}

type watchKey struct{}

// watch observes one message in one stage.
type watch struct {
	tracer Tracer
	step   Step

	turn   *turn      // of the message
	mu     sync.Mutex // a door may call next from several goroutines
	passed bool       // the message, or another for it, was passed on
	split  bool       // what was passed on is answered on its own; see Split
	inside int        // calls of next that have not returned
	ended  bool       // it has returned
	answer *Message   // the last answer of next
	err    error
}

// watch reports that a message has come to a stage. The context is for that stage.
func (t Tracer) watch(ctx context.Context, stage string, out bool, m *Message) (*watch, context.Context) {
	w := &watch{tracer: t, step: Step{Out: out, At: time.Now(), Stage: stage, Message: m}, turn: turnOf(ctx)}
	w.step.Session, w.step.Line = Place(ctx)
	if w.turn != nil {
		w.step.Turn = w.turn
		if out {
			w.step.Cause = w.turn.message
		}
	}
	entered := w.step
	entered.Verdict = VerdictEntered
	t(entered)
	return w, context.WithValue(ctx, watchKey{}, w)
}

func (w *watch) report(v Verdict, reason error) { w.reportChange(v, reason, nil, nil) }

func (w *watch) reportChange(v Verdict, reason error, from, to *Message) {
	step := w.step
	step.Verdict, step.Took = v, time.Since(step.At)
	step.From, step.To = from, to
	if wire, ok := reason.(*jsonrpc2.Error); ok {
		step.Reason = wire.Message // the text on the wire, without the prefix of the library
	} else if reason != nil {
		step.Reason = reason.Error()
	}
	w.tracer(step)
}

// passedOn records that the stage calls next with m.
func (w *watch) passedOn(ctx context.Context, m *Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.passed && m == w.step.Message:
		w.report(VerdictPassed, nil)
	case !w.passed && w.step.Message.kind == Batch:
		w.report(VerdictSplit, nil)
	case !w.passed:
		w.reportChange(VerdictChanged, nil, w.step.Message, m)
	}
	w.passed = true
	w.split = w.split || turnOf(ctx) != w.turn
	w.inside++
}

// answered records the answer of next.
func (w *watch) answered(answer *Message, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer, w.err = answer, err
	w.inside--
}

// ends records what the stage returned, if that adds something.
func (w *watch) ends(answer *Message, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	switch {
	case w.passed && (w.split || answer == w.answer && (err == nil) == (w.err == nil)):
	case err != nil:
		w.report(VerdictRefused, err)
	case answer == nil:
		w.report(VerdictDropped, nil)
	case w.passed:
		w.reportChange(VerdictChanged, nil, w.answer, answer)
	case answer.fault != nil:
		w.report(VerdictRefused, answer.fault)
	default:
		w.report(VerdictAnswered, nil)
	}
}

// panics is deferred by each stage: it reports the one that has panicked, unlike those around it.
func (w *watch) panics() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended && w.inside == 0 {
		w.report(VerdictRefused, errors.New("panic"))
	}
}

func (t Tracer) inbound(stage Middleware) func(context.Context, *Message, Handler) (*Message, error) {
	return func(ctx context.Context, m *Message, next Handler) (*Message, error) {
		w, ctx := t.watch(ctx, stage.Name, false, m)
		defer w.panics()
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

func (t Tracer) outbound(stage string, door wayOutDoor) wayOutDoor {
	return func(ctx context.Context, m *Message, next Sender) error {
		w, ctx := t.watch(ctx, stage, true, m)
		defer w.panics()
		err := door(ctx, m, func(ctx context.Context, m *Message) error {
			w.passedOn(ctx, m)
			err := next(ctx, m)
			w.answered(nil, err)
			return err
		})
		w.ends(nil, err)
		return err
	}
}

// handler observes what is behind the last stage.
func (t Tracer) handler(h Handler) Handler {
	return func(ctx context.Context, m *Message) (*Message, error) {
		w, ctx := t.watch(ctx, "handler", false, m)
		defer w.panics()
		answer, err := h(ctx, m)
		if answer == nil && err == nil {
			w.ended = true
			w.report(VerdictPassed, nil) // a notification or response, as it should be
		} else {
			w.ends(answer, err)
		}
		return answer, err
	}
}

// chainIn reports when a message is through the chain on its way in.
func (t Tracer) chainIn(h Handler) Handler {
	if t == nil {
		return h
	}
	return func(ctx context.Context, m *Message) (*Message, error) {
		w, _ := t.watch(ctx, "chain", false, m)
		defer w.report(VerdictDone, nil) // also when it panics
		answer, err := h(ctx, m)
		w.step.Unanswered = answer == nil && (err == nil || !m.Answerable())
		return answer, err
	}
}

// chainOut reports when a message is through the chain on its way out.
func (t Tracer) chainOut(send Sender) Sender {
	if t == nil {
		return send
	}
	return func(ctx context.Context, m *Message) error {
		w, _ := t.watch(ctx, "chain", true, m)
		defer w.report(VerdictDone, nil)
		return send(ctx, m)
	}
}
