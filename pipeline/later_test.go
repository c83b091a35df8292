package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// pace is the stage of docs/MIDDLEWARE.md.
func pace(d time.Duration) pipeline.Middleware {
	var kept func() error
	release := func() error {
		send := kept
		kept = nil
		if send == nil {
			return nil
		}
		return send()
	}
	return pipeline.Middleware{
		Name: "pace",
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			if m.Kind() != pipeline.Notification {
				return errors.Join(release(), next(ctx, m))
			}
			if kept == nil {
				pipeline.From(ctx).Later(d, release)
			}
			kept = func() error { return next(ctx, m) }
			return nil
		},
	}
}

func note(n string) string { return `{"jsonrpc":"2.0","method":"` + n + `"}` }

func TestAStageSendsDelayedMessagesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, []pipeline.Middleware{pace(time.Second)}, nil, pipeline.Options{})
		for _, n := range []string{"a", "b", "c"} {
			is.NoErr(c.Pipeline.Notify(t.Context(), n, nil)) // sent while no message is in the chain
		}
		start := time.Now()
		is.Equal(c.Recv(), note("c"))
		is.Equal(time.Since(start), time.Second)
		is.NoErr(c.Pipeline.Notify(t.Context(), "d", nil))
		is.Equal(c.Recv(), note("d")) // again
	})
}

func TestDelayedMessagesAreSentBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		start := time.Now()
		got := pipetest.In(t, pace(time.Second), func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Afterwards(ctx, func(ctx context.Context) { pipeline.From(ctx).Notify(ctx, "x", nil) })
			return m.Answer(nil)
		}, ping1)
		is.Equal(got, []string{pong1, note("x")})
		is.Equal(time.Since(start), time.Duration(0)) // nothing waits for it
	})
}

func TestPanicsAndFatalErrorsOfDelayedSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, nil, pipeline.Options{})
		c.Pipeline.Later(time.Second, func() error { panic("oh") })
		c.Pipeline.Later(time.Minute, func() error { return pipeline.Fatal(errors.New("the end")) })
		<-time.After(2 * time.Second)
		c.Send(ping1)
		is.Equal(c.Recv(), pong1)             // a panic has no other effect
		is.Equal(c.Wait().Error(), "the end") // a fatal error ends the pipeline
		c.Pipeline.Later(0, func() error { t.Error("nothing leaves any more"); return nil })
		synctest.Wait()
	})
}

// whole answers a list with all of its pages.
var whole = pipeline.Middleware{Name: "whole", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
	if m.Method() != "list" {
		return next(ctx, m)
	}
	var items []json.RawMessage
	for {
		answer, err := next(ctx, m)
		if err != nil || answer.Fault() != nil {
			return answer, err
		}
		var page struct {
			Items []json.RawMessage `json:"items"`
			Next  string            `json:"next"`
		}
		if err := json.Unmarshal(answer.Result(), &page); err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if page.Next == "" {
			result, err := pipeline.SetMember(answer.Result(), "items", items)
			if err != nil {
				return nil, err
			}
			return answer.WithResult(result)
		}
		params, err := pipeline.SetMember(m.Params(), "page", page.Next)
		if err != nil {
			return nil, err
		}
		if m, err = m.WithParams(params); err != nil {
			return nil, err
		}
	}
}}

func TestAStageMergesTheAnswersOfSeveralCallsIntoOne(t *testing.T) {
	is := is.New(t)
	pages := map[string]string{"": `{"items":[1.0],"next":"b"}`, "b": `{"items":[],"next":"c"}`, "c": `{"items":["<",3], "of": "c"}`}
	list := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		var p struct{ Page, Of string }
		json.Unmarshal(m.Params(), &p)
		result, ok := pages[p.Page]
		if !ok || p.Of != "x" {
			return nil, pipeline.Errorf(-32602, "no page %q of %q", p.Page, p.Of)
		}
		return m.Answer(json.RawMessage(result))
	}
	got := pipetest.In(t, whole, list, pipetest.Call(7, "list", `{"of":"x"}`), pipetest.Call(8, "list", `{"of":"y"}`))
	is.Equal(got[0], `{"jsonrpc":"2.0","id":7,"result":{"items":[1.0,"<",3], "of": "c"}}`)
	is.True(strings.Contains(got[1], `"id":8,"error":{"code":-32602`)) // a page that is refused refuses the whole
	is.Equal(len(got), 2)
}

func TestWhatAStageHasKeptBackLeavesBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		got := pipetest.Chain(t, []pipeline.Middleware{pace(time.Second)}, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			for _, note := range []string{"a", "b", "c"} {
				pipeline.From(ctx).Notify(ctx, note, nil)
			}
			return m.Answer(nil)
		}, ping1)
		is.Equal(got, []string{`{"jsonrpc":"2.0","method":"c"}`, pong1})
	})
}
