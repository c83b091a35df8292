package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// bursts is an input that hands over each text with one Read, the next when it is sent.
type bursts chan string

func (b bursts) Read(p []byte) (int, error) {
	text, open := <-b
	if !open {
		return 0, io.EOF
	}
	return copy(p, text), nil
}

// writes are the texts of single Writes.
type writes struct {
	mu    sync.Mutex
	all   []string
	block chan struct{} // nil: none does
}

func (w *writes) Write(p []byte) (int, error) {
	if w.block != nil {
		<-w.block
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, string(p))
	return len(p), nil
}

// take returns what was written since the last call.
func (w *writes) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

func call(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", id, method)
}

func pong(ids ...int) string {
	var b strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", id)
	}
	return b.String()
}

func quick(m *pipeline.Message) bool { return strings.HasPrefix(m.Method(), "quick") }

// gathering runs a pipeline whose methods that begin with quick are so.
func gathering(t *testing.T, mux pipeline.Mux, chain []pipeline.Middleware, test func(in bursts, out *writes, ended <-chan error)) {
	gatheringUntil(t, func(chan struct{}) pipeline.Mux { return mux }, chain, func(in bursts, out *writes, ended <-chan error, _ chan struct{}) {
		test(in, out, ended)
	})
}

// gatheringUntil is gathering with a channel that handlers can wait for.
func gatheringUntil(t *testing.T, methods func(chan struct{}) pipeline.Mux, chain []pipeline.Middleware, test func(in bursts, out *writes, ended <-chan error, release chan struct{})) {
	synctest.Test(t, func(t *testing.T) {
		in, out, release := make(bursts), &writes{}, make(chan struct{})
		mux := methods(release)
		if mux == nil {
			mux = pipeline.Mux{}
		}
		mux["quick"] = pipetest.OK
		p := pipeline.New(pipeline.NewNDJSON(in, out, 0), chain, mux.Serve, pipeline.Options{Quick: quick})
		ended := make(chan error, 1)
		go func() { ended <- p.Run(t.Context()) }()
		test(in, out, ended, release)
	})
}

func TestAnswersToQuickMessagesThatCameTogetherLeaveTogether(t *testing.T) {
	is := is.New(t)
	gathering(t, nil, nil, func(in bursts, out *writes, ended <-chan error) {
		in <- call(1, "quick") + call(2, "quick") + call(3, "quick")
		synctest.Wait()
		is.Equal(out.take(), []string{pong(1, 2, 3)})
		in <- call(4, "quick")
		synctest.Wait()
		is.Equal(out.take(), []string{pong(4)}) // a single answer is sent at once
		in <- call(5, "quick") + call(6, "quick")[:20]
		synctest.Wait()
		is.Equal(out.take(), []string{pong(5)}) // does not wait for the rest of an incomplete message
		in <- call(6, "quick")[20:]
		close(in)
		is.NoErr(<-ended)
		is.Equal(out.take(), []string{pong(6)})
	})
}

func TestAnAnswerIsNotHeldBackByAMessageThatMayTakeLong(t *testing.T) {
	is := is.New(t)
	mux := func(release chan struct{}) pipeline.Mux {
		return pipeline.Mux{"long": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			<-release
			return m.Answer(nil)
		}}
	}
	gatheringUntil(t, mux, nil, func(in bursts, out *writes, ended <-chan error, release chan struct{}) {
		in <- call(1, "quick") + call(2, "quick") + call(3, "long") + call(4, "quick")
		synctest.Wait()
		is.Equal(out.take(), []string{pong(1, 2)})
		close(release)
		synctest.Wait()
		is.Equal(out.take(), []string{pong(3, 4)})
		close(in)
		is.NoErr(<-ended)
	})
}

func TestAMessageThatYieldsHoldsNothingBackEvenIfMarkedQuick(t *testing.T) {
	is := is.New(t)
	mux := func(release chan struct{}) pipeline.Mux {
		return pipeline.Mux{"quick-or-not": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Yield(ctx)
			<-release
			return m.Answer(nil)
		}}
	}
	gatheringUntil(t, mux, nil, func(in bursts, out *writes, ended <-chan error, release chan struct{}) {
		in <- call(1, "quick") + call(2, "quick-or-not")
		synctest.Wait()
		is.Equal(out.take(), []string{pong(1)})
		in <- call(3, "quick")
		synctest.Wait()
		is.Equal(out.take(), []string{pong(3)})
		close(release)
		close(in)
		is.NoErr(<-ended)
		is.Equal(out.take(), []string{pong(2)})
	})
}

func TestHeldAnswersAreSentBeforeOtherMessages(t *testing.T) {
	is := is.New(t)
	mux := pipeline.Mux{"quick-notes": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.From(ctx).Notify(ctx, "note", nil)
		return m.Answer(nil)
	}}
	gathering(t, mux, nil, func(in bursts, out *writes, ended <-chan error) {
		in <- call(1, "quick") + call(2, "quick-notes") + call(3, "quick")
		close(in)
		is.NoErr(<-ended)
		is.Equal(strings.Join(out.take(), ""), pong(1)+`{"jsonrpc":"2.0","method":"note"}`+"\n"+pong(2, 3))
	})
}

func TestHeldAnswersAreSentWhenTheNextMessageHasNoAnswer(t *testing.T) {
	is := is.New(t)
	drop := pipeline.Middleware{Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		if m.Method() == "quick-dropped" {
			return nil, nil
		}
		return next(ctx, m)
	}}
	gathering(t, nil, []pipeline.Middleware{drop}, func(in bursts, out *writes, ended <-chan error) {
		in <- call(1, "quick") + call(2, "quick-dropped")
		synctest.Wait()
		is.Equal(out.take(), []string{pong(1)})
		close(in)
		is.NoErr(<-ended)
	})
}

func TestHeldAnswersAreSentWhenThePipelineEnds(t *testing.T) {
	for name, end := range map[string]func(*pipeline.Pipeline){
		"finished": (*pipeline.Pipeline).Finish,
		"stopped":  func(p *pipeline.Pipeline) { p.Stop(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			mux := pipeline.Mux{"quick-end": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				end(pipeline.From(ctx))
				return m.Answer(nil)
			}}
			gathering(t, mux, nil, func(in bursts, out *writes, ended <-chan error) {
				in <- call(1, "quick") + call(2, "quick-end") + call(3, "quick")
				is.NoErr(<-ended)
				is.Equal(strings.Join(out.take(), ""), pong(1, 2))
				close(in)
			})
		})
	}
}

func TestItemsOfABatchAreAnsweredTogether(t *testing.T) {
	is := is.New(t)
	split := pipeline.Middleware{Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		if m.Kind() == pipeline.Batch {
			return nil, pipeline.Split(ctx, m.Items(), next)
		}
		return next(ctx, m)
	}}
	gathering(t, nil, []pipeline.Middleware{split}, func(in bursts, out *writes, ended <-chan error) {
		in <- "[" + strings.ReplaceAll(strings.TrimSpace(call(1, "quick")+call(2, "quick")+call(3, "none")+call(4, "quick")), "\n", ",") + "]\n"
		synctest.Wait()
		got := out.take()
		is.Equal(len(got), 2)
		is.Equal(got[0], pong(1, 2))
		is.True(strings.HasSuffix(got[1], pong(4)))
		close(in)
		is.NoErr(<-ended)
	})
}

func TestAClientThatReadsNothingDoesNotKeepTheEndOfInputFromBeingSeen(t *testing.T) {
	is := is.New(t)
	synctest.Test(t, func(t *testing.T) {
		in, out := make(bursts), &writes{block: make(chan struct{})}
		p := pipeline.New(pipeline.NewNDJSON(in, out, 0), nil, pipetest.OK, pipeline.Options{Quick: quick})
		ended := make(chan error, 1)
		go func() { ended <- p.Run(t.Context()) }()
		in <- call(1, "quick") + call(2, "quick") + call(3, "quick") + call(4, "long")
		close(in)
		err := <-ended
		is.True(errors.Is(err, pipeline.ErrStuck))
		is.True(strings.Contains(err.Error(), "in the write to the stream"))
		close(out.block)
	})
}

func TestMessagesThatCameTogetherKeepTheirLines(t *testing.T) {
	is := is.New(t)
	var lines []string
	for i := range 300 { // more than one buffer of the stream, short lines and long ones
		lines = append(lines, strings.TrimSpace(call(i, "quick"+strings.Repeat("-", i*i%500))))
	}
	var seen []*pipeline.Message
	keep := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		seen = append(seen, m)
		return m.Answer(nil)
	}
	stream := pipeline.NewNDJSON(strings.NewReader(strings.Join(lines, "\n")), io.Discard, 0)
	is.NoErr(pipeline.New(stream, nil, keep, pipeline.Options{Quick: quick}).Run(t.Context()))
	is.Equal(len(seen), len(lines))
	for i, m := range seen {
		is.Equal(string(m.Line()), lines[i])
		is.Equal(m.ID().String(), fmt.Sprint(i))
	}
}

func TestALineThatIsTooLongIsRefusedAlsoAmongOthers(t *testing.T) {
	is := is.New(t)
	var out writes
	long := call(2, "quick"+strings.Repeat("-", 100))
	stream := pipeline.NewNDJSON(strings.NewReader(call(1, "quick")+long+call(3, "quick")), &out, 100)
	is.NoErr(pipeline.New(stream, nil, pipetest.OK, pipeline.Options{Quick: quick}).Run(t.Context()))
	got := out.take()
	is.Equal(len(got), 2)
	is.Equal(got[0], pong(1))
	refusal, last, _ := strings.Cut(got[1], "\n")
	is.True(strings.Contains(refusal, "longer than 100 bytes"))
	is.Equal(last, pong(3))
}

// A full buffer is written without waiting.
func TestManyAnswersLeaveInWritesOfBoundedSize(t *testing.T) {
	is := is.New(t)
	gathering(t, nil, nil, func(in bursts, out *writes, ended <-chan error) {
		var burst bytes.Buffer
		var want strings.Builder
		for i := range 1200 {
			burst.WriteString(call(i, "quick"))
			want.WriteString(pong(i))
		}
		in <- burst.String()
		close(in)
		is.NoErr(<-ended)
		got := out.take()
		is.Equal(strings.Join(got, ""), want.String())
		for _, one := range got {
			is.True(len(one) <= 33<<10)
		}
	})
}

// A spy is a stream of somebody else that sees what passes.
type spy struct {
	*pipeline.NDJSON
	read, written []string
}

func (s *spy) ReadObject(v any) error {
	err := s.NDJSON.ReadObject(v)
	if err == nil {
		s.read = append(s.read, string(*v.(*json.RawMessage))+"\n")
	}
	return err
}

func (s *spy) WriteObject(v any) error {
	s.written = append(s.written, string(*v.(*json.RawMessage))+"\n")
	return s.NDJSON.WriteObject(v)
}

func TestAStreamAroundOursSeesAllThatPassesAlsoOfMessagesThatCameTogether(t *testing.T) {
	is := is.New(t)
	in := call(1, "quick") + call(2, "quick") + call(3, "quick")
	s := &spy{NDJSON: pipeline.NewNDJSON(strings.NewReader(in), io.Discard, 0)}
	is.NoErr(pipeline.New(s, nil, pipetest.OK, pipeline.Options{Quick: quick}).Run(t.Context()))
	is.Equal(strings.Join(s.read, ""), in)
	is.Equal(strings.Join(s.written, ""), pong(1, 2, 3))
}
