package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// looks is a stage that looks at each answer for a second.
var looks = pipeline.Middleware{Name: "looks", Leaving: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
	if m.Kind() == pipeline.Response {
		pipeline.Yield(ctx)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return next(ctx, m)
}}

func TestALeavingDoorKeepsNobodyElseFromSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		start := time.Now()
		var lines []string
		for i := range 50 {
			lines = append(lines, pipetest.Call(i, "ping", ""))
		}
		is.Equal(len(pipetest.Chain(t, []pipeline.Middleware{looks}, pipetest.OK, lines...)), 50)
		is.Equal(time.Since(start), time.Second) // all at once
	})
}

func TestWhatAMessageSendsWaitsInItsLeavingDoors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		slow := pipeline.Middleware{Name: "slow", Leaving: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			if m.Method() == "first" {
				<-time.After(time.Second)
			}
			return next(ctx, m)
		}}
		got := pipetest.Chain(t, []pipeline.Middleware{slow}, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			p := pipeline.From(ctx)
			return m.Answer(errors.Join(p.Notify(ctx, "first", nil), p.Notify(ctx, "second", nil)))
		}, ping1)
		is.Equal(got, []string{`{"jsonrpc":"2.0","method":"first"}`, `{"jsonrpc":"2.0","method":"second"}`, pong1})
	})
}

func TestAnAnswerThatALeavingDoorRefusesBecomesAnError(t *testing.T) {
	for name, door := range map[string]func(context.Context, *pipeline.Message, pipeline.Sender) error{
		"refuses": func(context.Context, *pipeline.Message, pipeline.Sender) error { return errors.New("secret") },
		"panics":  func(context.Context, *pipeline.Message, pipeline.Sender) error { panic("secret") },
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := pipetest.Chain(t, []pipeline.Middleware{{Name: name, Leaving: door}}, pipetest.OK, ping1)
			is.Equal(len(got), 1)
			is.True(strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,`))
		})
	}
}

func TestADoorThatFailsAfterTheAnswerHasLeftAddsNothing(t *testing.T) {
	is := is.New(t)
	late := pipeline.Middleware{Name: "late", Leaving: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
		return errors.Join(next(ctx, m), errors.New("too late"))
	}}
	is.Equal(pipetest.Chain(t, []pipeline.Middleware{late}, pipetest.OK, ping1), []string{pong1})
}

func TestLeavingDoorsComeBeforeOutboundDoorsInReverseOrder(t *testing.T) {
	is := is.New(t)
	var doors []string
	stage := func(name string) pipeline.Middleware {
		door := func(which string) func(context.Context, *pipeline.Message, pipeline.Sender) error {
			return func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
				doors = append(doors, which+" "+name)
				return next(ctx, m)
			}
		}
		return pipeline.Middleware{Name: name, Leaving: door("leaving"), Outbound: door("outbound")}
	}
	pipetest.Chain(t, []pipeline.Middleware{stage("a"), stage("b")}, pipetest.OK, ping1)
	is.Equal(doors, []string{"leaving b", "leaving a", "outbound b", "outbound a"})
}

func TestALeavingDoorIsAtWorkUntilTheEndOfTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		minute := pipeline.Middleware{Name: "minute", Leaving: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			<-time.After(time.Minute)
			return next(ctx, m)
		}}
		is.Equal(pipetest.Chain(t, []pipeline.Middleware{minute}, pipetest.OK, ping1), []string{pong1}) // longer than Grace
	})
}

func TestAnAnswerThatHasPassedTheLeavingDoorsOnlyWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		h := make(hold)
		passes := pipeline.Middleware{Name: "passes", Leaving: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			return next(ctx, m)
		}}
		took, err := stuckWith(t, h, h, []pipeline.Middleware{passes}, nil, pipeline.Options{})
		is.True(errors.Is(err, pipeline.ErrStuck))
		is.True(took < 11*time.Second) // Grace, and the moment in which the end of the input is seen
	})
}

func TestAnOutboundDoorThatSendsGetsAnErrorAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		start := time.Now()
		var err error
		echo := pipeline.Middleware{Name: "echo", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			err = pipeline.From(ctx).Notify(ctx, "echo", nil)
			return next(ctx, m)
		}}
		is.Equal(pipetest.Chain(t, []pipeline.Middleware{echo}, pipetest.OK, ping1), []string{pong1})
		is.True(strings.Contains(fmt.Sprint(err), "must not send"))
		is.Equal(time.Since(start), time.Duration(0))
	})
}

func TestAMessageIsSentByteForByte(t *testing.T) {
	is := is.New(t)
	const odd = `{ "method" : "n", "params":{"a":1,"a":2.0},  "jsonrpc":"2.0" }`
	got := pipetest.Chain(t, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		p := pipeline.From(ctx)
		is.True(errors.Is(p.Send(ctx, pipeline.Parse([]byte("oops"))), pipeline.ErrCorrupt))
		return m.Answer(p.Send(ctx, pipeline.Parse([]byte(odd))))
	}, ping1)
	is.Equal(got, []string{odd, pong1})
}

func TestAnAnswerUnderTheIDOfAnotherCallIsRefusedAndTheErrorNamesTheStage(t *testing.T) {
	is := is.New(t)
	mixed := pipeline.Middleware{Name: "mixed", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		return pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":2,"result":{}}`)), nil
	}}
	is.Equal(pipetest.Chain(t, []pipeline.Middleware{mixed}, nil, ping1), []string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: the stage mixed has answered the id 1 with the id 2"}}`,
	})
	same := pipeline.Middleware{Name: "same", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		return pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1.0,"result":{}}`)), nil
	}}
	is.Equal(pipetest.Chain(t, []pipeline.Middleware{same}, nil, ping1), []string{`{"jsonrpc":"2.0","id":1.0,"result":{}}`})
}

func TestACallThatNobodyAnswersIsLogged(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	drops := func(context.Context, *pipeline.Message) (*pipeline.Message, error) { return nil, nil }
	p := pipetest.New(strings.NewReader(ping1+"\n"), new(bytes.Buffer), nil, drops, pipeline.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	is.NoErr(p.Run(t.Context()))
	is.True(strings.Contains(log.String(), `msg="a call was not answered: a stage or the handler has dropped it" method=ping id=1`))
}

func TestAStageThatPanicsIsInTheTrace(t *testing.T) {
	is := is.New(t)
	pass := pipeline.Middleware{Name: "pass", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		return next(ctx, m)
	}}
	oops := pipeline.Middleware{Name: "oops", Inbound: func(context.Context, *pipeline.Message, pipeline.Handler) (*pipeline.Message, error) { panic("oh") }}
	var refused []string
	for _, s := range stepsOf(t, []pipeline.Middleware{pass, oops}, nil, ping1) {
		if s.Verdict == pipeline.VerdictRefused {
			refused = append(refused, s.Stage+": "+s.Reason)
		}
	}
	is.Equal(refused, []string{"oops: panic"}) // not those around it
}

func TestAllSpellingsOfAnIDAreOneKey(t *testing.T) {
	is := is.New(t)
	key := func(raw string) string {
		id, ok := pipeline.ParseID([]byte(raw))
		is.True(ok)
		return id.Key()
	}
	for _, same := range [][]string{
		{"1", "1.0", "1e0", "10e-1", "0.1E1", "1.000e+00"},
		{"0", "-0", "0.0", "0e5", "-0.0e1"},
		{"-1200", "-1.2e3", "-12e2"},
		{"0.5", "5e-1", "0.50"},
		{"1e40", "10e39", "10000000000000000000000000000000000000000.0"},
		{`"a"`, `"\u0061"`},
	} {
		for _, s := range same {
			is.Equal(key(s), key(same[0]))
		}
	}
	for _, other := range []string{"2", "10", "-1", "1.5", `"1"`, "1e99999999999"} {
		is.True(key(other) != key("1"))
	}
}

func TestTheVersionMayBeWrittenWithEscapes(t *testing.T) {
	is := is.New(t)
	is.Equal(pipetest.Chain(t, nil, pipetest.OK, `{"jsonrpc":"2\u002e0","id":1,"method":"ping"}`), []string{pong1})
}
