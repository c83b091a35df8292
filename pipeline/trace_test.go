package pipeline_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// traced runs lines through a chain and returns the trace, a step a line.
func traced(t *testing.T, chain []pipeline.Middleware, lines ...string) string {
	var mu sync.Mutex
	var steps []string
	tracer := func(s pipeline.Step) {
		if s.Stage == "chain" || s.Verdict == pipeline.VerdictEntered {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		way := "in"
		if s.Out {
			way = "out"
		}
		step := fmt.Sprintf("%d %s %s %s %s", s.Line, way, s.Message.Kind(), s.Stage, s.Verdict)
		if s.Reason != "" {
			step += ": " + s.Reason
		}
		steps = append(steps, step)
	}
	var out strings.Builder
	p := pipetest.New(strings.NewReader(strings.Join(lines, "\n")), &out, chain, methods().Serve, pipeline.Options{Trace: tracer})
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

func TestTheTraceShowsWhatEachStageDid(t *testing.T) {
	both := pipeline.Middleware{Name: "both",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			switch m.Method() {
			case "early":
				return m.Answer(nil)
			case "refuse":
				return nil, fmt.Errorf("%w: not that", pipeline.ErrInvalidParams)
			case "drop":
				return nil, nil
			case "replace":
				return next(ctx, pipeline.Parse([]byte(ping1)))
			case "swallow":
				next(ctx, m)
				return nil, nil
			case "instead":
				return nil, pipeline.Split(ctx, slices.Values([]*pipeline.Message{pipeline.Parse([]byte(ping1))}), next)
			}
			return next(ctx, m)
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error { return next(ctx, m) },
	}
	call := func(method string) string { return `{"jsonrpc":"2.0","id":1,"method":"` + method + `"}` }
	for _, c := range []struct{ line, want string }{
		{ping1, "1 in call split passed\n1 in call both passed\n1 in call handler answered\n1 out response both passed"},
		{call("early"), "1 in call split passed\n1 in call both answered\n1 out response both passed"},
		{call("refuse"), "1 in call split passed\n1 in call both refused: invalid params: not that\n1 out response both passed"},
		{call("drop"), "1 in call split passed\n1 in call both dropped"},
		{call("replace"), "1 in call split passed\n1 in call both changed\n1 in call handler answered\n1 out response both passed"},
		{call("instead"), "1 in call split passed\n1 in call both changed\n1 in call handler answered\n1 out response both passed"},
		{call("ping2"), "1 in call split passed\n1 in call both passed\n1 in call handler refused: Method not found: ping2\n1 out response both passed"},
		{`{"jsonrpc":"2.0","method":"note"}`, "1 in notification split passed\n1 in notification both passed\n1 in notification handler passed"},
		{"[" + ping1 + "]", "1 in batch split split\n1 in call both passed\n1 in call handler answered\n1 out response both passed"},
		{`{"jsonrpc":"2.0","id":1,"method":"swallow"}`, "1 in call split passed\n1 in call both passed\n1 in call handler refused: Method not found: swallow\n1 in call both dropped"},
	} {
		is := is.New(t)
		is.Equal(traced(t, []pipeline.Middleware{split, both}, c.line), c.want) // the steps, in order
	}
}

func TestLinesAreNumberedInTheTrace(t *testing.T) {
	is := is.New(t)
	got := traced(t, []pipeline.Middleware{split}, ping1, ping1)
	is.Equal(got, "1 in call split passed\n1 in call handler answered\n2 in call split passed\n2 in call handler answered")
}

// stepsOf runs a line through a chain and returns the steps.
func stepsOf(t *testing.T, chain []pipeline.Middleware, handler pipeline.Handler, line string) (steps []pipeline.Step) {
	var mu sync.Mutex
	tracer := func(s pipeline.Step) {
		mu.Lock()
		defer mu.Unlock()
		steps = append(steps, s)
	}
	var out strings.Builder
	p := pipetest.New(strings.NewReader(line), &out, chain, handler, pipeline.Options{Trace: tracer, Log: slog.New(slog.DiscardHandler)})
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return steps
}

func TestATraceHasWhatAStageChanged(t *testing.T) {
	is := is.New(t)
	other := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`))
	var answers [2]*pipeline.Message
	stage := pipeline.Middleware{Name: "other", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (answer *pipeline.Message, err error) {
		if answers[0], err = next(ctx, other); err != nil {
			return nil, err
		}
		answers[1], err = m.Answer("another")
		return answers[1], err
	}}
	var changed []pipeline.Step
	for _, s := range stepsOf(t, []pipeline.Middleware{stage}, methods().Serve, ping1) {
		if s.Verdict == pipeline.VerdictChanged {
			changed = append(changed, s)
		} else {
			is.Equal(s.From, nil)
			is.Equal(s.To, nil)
		}
	}
	is.Equal(len(changed), 2)
	is.Equal(string(changed[0].From.Line()), ping1)
	is.Equal(changed[0].To, other)
	is.Equal(changed[1].From, answers[0])
	is.Equal(changed[1].To, answers[1])
}

func TestATraceKnowsWhenAMessageIsThroughTheChain(t *testing.T) {
	pass := pipeline.Middleware{Name: "pass", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error { return next(ctx, m) }}
	for name, handler := range map[string]pipeline.Handler{
		"an answer": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			return m.Answer(pipeline.From(ctx).Notify(ctx, "note", nil))
		},
		"a panic": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			_ = pipeline.From(ctx).Notify(ctx, "note", nil)
			panic("oh")
		},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var done []string
			for _, s := range stepsOf(t, []pipeline.Middleware{pass}, handler, ping1) {
				if s.Verdict == pipeline.VerdictDone {
					is.Equal(s.Stage, "chain")
					done = append(done, s.Message.Kind().String())
					is.Equal(s.Out, s.Cause != nil) // the notification was sent for the call
				}
			}
			is.Equal(strings.Join(done, " "), "notification call response") // in the order in which they ended
		})
	}
}

func TestAStageSaysWhatItDoesAndHowThatIsSeenWhileItLasts(t *testing.T) {
	is := is.New(t)
	stage := pipeline.Middleware{Name: "slots", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		pipeline.Note(ctx, "slot", 3, "after", time.Second)
		return next(ctx, m)
	}}
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Note(ctx, "pid", 4711)
		return m.Answer(nil)
	}
	var got []string
	turns := make(map[any]bool)
	for _, s := range stepsOf(t, []pipeline.Middleware{stage}, handler, ping1) {
		got = append(got, strings.TrimSpace(fmt.Sprint(s.Stage, " ", s.Verdict, " ", s.Notes)))
		turns[s.Turn] = true
	}
	is.Equal(strings.Join(got, "\n"), strings.TrimSpace(`
chain entered []
slots entered []
slots noted [slot=3 after=1s]
slots passed []
handler entered []
handler noted [pid=4711]
handler answered []
chain done []
chain entered []
chain done []`))
	is.Equal(len(turns), 1) // a call and its answer
}

func TestANoteThatNobodyReadsCostsNothing(t *testing.T) {
	is := is.New(t)
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		is.Equal(testing.AllocsPerRun(100, func() { pipeline.Note(ctx, "slot", 3) }), 0.0)
		return m.Answer(nil)
	}
	is.NoErr(pipetest.New(strings.NewReader(ping1), io.Discard, nil, handler, pipeline.Options{}).Run(t.Context()))
}

func TestAStageThatYieldsItselfKnowsWhenItsMessageDoes(t *testing.T) {
	is := is.New(t)
	var order []string
	stage := pipeline.Middleware{Name: "hold", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		pipeline.Yield(ctx)
		pipeline.OnYield(ctx, func() { order = append(order, "yields") })
		return next(ctx, m)
	}}
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		order = append(order, "works")
		pipeline.Yield(ctx)
		pipeline.Yield(ctx) // once is enough
		order = append(order, "goes on")
		return m.Answer(nil)
	}
	is.NoErr(pipetest.New(strings.NewReader(ping1), io.Discard, []pipeline.Middleware{stage}, handler, pipeline.Options{}).Run(t.Context()))
	is.Equal(order, []string{"works", "yields", "goes on"})
}

func TestANoteOfWorkWithoutAMessageGoesToATracer(t *testing.T) {
	is := is.New(t)
	var steps []pipeline.Step
	ctx := pipeline.Noting(t.Context(), func(s pipeline.Step) { steps = append(steps, s) })
	pipeline.Note(ctx, "pid", 4711)
	is.Equal(len(steps), 1)
	is.Equal(steps[0].Verdict, pipeline.VerdictNoted)
	is.Equal(steps[0].Notes[0].String(), "pid=4711")
}
