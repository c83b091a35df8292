package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
	"github.com/rivo/uniseg"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

const (
	call  = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hello","arguments":{"n":12345678901234567890,"password":"abc"}}}`
	other = `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`
)

// upper gives every call an argument, which its answer loses its result for.
var upper = pipeline.Middleware{
	Name: "upper",
	Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		if m.Method() != "tools/call" {
			return next(ctx, m)
		}
		params, err := pipeline.SetMember(m.Params(), "loud", json.RawMessage(`true`))
		if err != nil {
			return nil, err
		}
		if params, err = pipeline.SetMember(params, "token", json.RawMessage(`"xyz"`)); err != nil {
			return nil, err
		}
		louder, err := m.WithParams(params)
		if err != nil {
			return nil, err
		}
		return next(ctx, louder)
	},
	Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error { return next(ctx, m) },
}

func hello(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	return m.Answer(map[string]string{"text": "HI"})
}

// traced serves lines in fake time and returns the trace.
func traced(t *testing.T, o trace.Options, handler pipeline.Handler, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		o.Stages = []string{"sanitize", "batch", "upper"}
		printer := trace.New(&out, o)
		chain := []pipeline.Middleware{middleware.Sanitize(), middleware.Batch(pipeline.MCP, func() bool { return true }), upper}
		p := pipetest.New(strings.NewReader(strings.Join(lines, "\n")+"\n"), io.Discard, chain, handler, pipeline.Options{
			Trace: printer.Step,
			Log:   slog.New(slog.DiscardHandler),
			Drain: 10 * time.Second,
		})
		if err := p.Run(t.Context()); err != nil {
			t.Error(err)
		}
		printer.Close()
	})
	return out.String()
}

// local are times of day, which depend on where a test runs.
var local = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3} `)

func TestPeopleReadTheLifeOfAMessage(t *testing.T) {
	is := is.New(t)
	slow := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Note(ctx, "pid", 4711, "script", "tool.sh")
		_ = pipeline.From(ctx).Notify(ctx, "notifications/progress", map[string]int{"progress": 1})
		if m.Method() != "tools/call" {
			return nil, nil
		}
		pipeline.Yield(ctx)
		<-time.After(2100 * time.Millisecond)
		return m.Answer(json.RawMessage(`{"content":[],"isError":true,"_meta":{"exitCode":7,"stderr":"no such host\n"}}`))
	}
	got := traced(t, trace.Options{}, slow, call, `{"jsonrpc":"2.0","method":"note"}`, "[1,"+other+"]")
	is.Equal(local.ReplaceAllString(got, ""), strings.TrimPrefix(`
→ 7   tools/call hello {"n":12345678901234567890,"password":"[redacted]"}
  7   upper changed {"op":"add","path":"/params/loud","value":true}
  7   upper changed {"op":"add","path":"/params/token","value":"[redacted]"}
  7   handler pid 4711 · script tool.sh
← 7   notifications/progress {"progress":1}
→ ·   note
  ·   handler pid 4711 · script tool.sh
← ·   notifications/progress {"progress":1}
→ ·   batch, 52 bytes
→ ·   malformed, 1 bytes
← ·   refused -32600 0.0 ms "invalid request: a message is a JSON object, not a number"
→ a   tools/list
  a   handler pid 4711 · script tool.sh
← a   notifications/progress {"progress":1}
← a   not answered: handler has dropped it, 0.0 ms
  ·   batch items 2
  7   … still in handler 1.0 s
  7   … still in handler 2.0 s
← 7   failed exit 7 2.10 s "no such host"
`, "\n"))
}

func TestTheAnswerOfAClientIsLinkedToWhatItWasAsked(t *testing.T) {
	is := is.New(t)
	asks := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		result, err := pipeline.From(ctx).Call(ctx, "roots/list", nil)
		if err != nil {
			return nil, err
		}
		return m.Answer(result)
	}
	got := traced(t, trace.Options{}, asks, `{"jsonrpc":"2.0","id":7,"method":"a"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
	is.Equal(local.ReplaceAllString(got, ""), strings.TrimPrefix(`
→ 7   a
← ?1  roots/list for 7
→ ?2  ok 0.0 ms {}, an answer to nothing that was asked
→ ?1  ok 0.0 ms {"roots":[]}, the answer to roots/list for 7
← 7   ok 0.0 ms {"roots":[]}
`, "\n"))
}

func TestWhoDroppedOrRefusedAMessageIsNamed(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	printer := trace.New(&out, trace.Options{Colour: true, Columns: func() int { return 80 }})
	chain := []pipeline.Middleware{middleware.Cancel(pipeline.MCP, slog.New(slog.DiscardHandler)),
		{Name: "choosy", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			switch m.Method() {
			case "drop":
				return nil, nil
			case "refuse":
				return nil, pipeline.ErrInvalidParams
			}
			return next(ctx, m)
		}}}
	waits := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Yield(ctx)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	p := pipetest.New(strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"drop"}`,
		`{"jsonrpc":"2.0","id":2,"method":"refuse","params":{"x":"` + strings.Repeat("long ", 100) + `"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"wait"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`}, "\n")), io.Discard, chain, waits,
		pipeline.Options{Trace: printer.Step, Log: slog.New(slog.DiscardHandler)})
	is.NoErr(p.Run(t.Context()))
	printer.Close()
	is.True(strings.Contains(out.String(), "\x1b[31m← 2   refused by choosy -32602 ")) // in red
	plain := regexp.MustCompile("\x1b\\[\\d+m").ReplaceAllString(out.String(), "")
	for _, want := range []string{"← 1   not answered: choosy has dropped it", "  ·   cancel no call 999\n", "  ·   cancel ended call 3\n",
		"← 3   not sent: cancel has dropped the answer"} {
		is.True(strings.Contains(plain, want))
	}
	for line := range strings.Lines(plain) {
		is.True(uniseg.StringWidth(strings.TrimSuffix(line, "\n")) <= 80)
	}
	is.True(!strings.Contains(plain, "passed"))
}

func TestAFullTraceHasALineForEveryStageWithItsTime(t *testing.T) {
	is := is.New(t)
	slow := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		<-time.After(500 * time.Millisecond)
		return hello(ctx, m)
	}
	got := traced(t, trace.Options{Format: trace.Full}, slow, call)
	is.Equal(local.ReplaceAllString(got, ""), strings.TrimPrefix(`
→ 7   tools/call hello {"n":12345678901234567890,"password":"[redacted]"}
  7   sanitize passed 0s
  7   batch passed 0s
  7   upper changed 0s {"op":"add","path":"/params/loud","value":true}
  7   upper changed 0s {"op":"add","path":"/params/token","value":"[redacted]"}
  7   handler answered 500ms
  7   upper passed 0s on its way out
← 7   ok 500 ms {"text":"HI"}
`, "\n"))
}

func TestAFullTraceNamesWhoRefusedWithItsTime(t *testing.T) {
	is := is.New(t)
	refuses := func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
		return nil, pipeline.ErrInvalidParams
	}
	got := traced(t, trace.Options{Format: trace.Full, Only: []string{"handler"}}, refuses, other)
	is.Equal(local.ReplaceAllString(got, ""), strings.TrimPrefix(`
→ a   tools/list
  a   handler refused 0s: invalid params
← a   refused -32602 0.0 ms "invalid params"
`, "\n"))
}

func TestASecretThatAClientUsesAsAnIDOrANameIsNotPrinted(t *testing.T) {
	const secret = "0123456789abcdef0123456789abcdef"
	for _, long := range []string{"", strings.Repeat("x", 190)} { // a text that is cut within the secret
		for _, format := range []trace.Format{trace.Text, trace.Full, trace.JSON} {
			is := is.New(t)
			got := traced(t, trace.Options{Format: format, Secrets: []string{secret}}, hello,
				`{"jsonrpc":"2.0","id":"`+long+secret+`","method":"tools/call","params":{"name":"`+long+secret+`"}}`,
				`{"jsonrpc":"2.0","id":"`+long+secret+`","method":"`+long+secret+`"}`)
			is.True(strings.Contains(got, "[redacted]"))
			is.True(!strings.Contains(got, secret[:8]))
		}
	}
}

func TestALineThatWasNotJSONSaysItsSizes(t *testing.T) {
	is := is.New(t)
	got := traced(t, trace.Options{}, hello, "\ufeff"+other)
	is.True(strings.Contains(got, "bytes became"))
}

func TestOnlyWhatIsAskedForIsPrinted(t *testing.T) {
	for _, c := range []struct {
		name      string
		only      []string
		want, not string
	}{
		{"a method", []string{"tools/list"}, "→ a   tools/list", "hello"},
		{"a number", []string{"7"}, "→ 7   tools/call", "→ a"},
		{"a text", []string{"a"}, "→ a   tools/list", "→ 7"},
		{"a tool", []string{"hello"}, "→ 7   tools/call", "→ a"},
		{"one of two", []string{"7", "a"}, "→ a   tools/list", "nothing"},
		{"a stage", []string{"upper"}, " upper ", " handler "},
		{"a stage and a method", []string{"upper", "tools/list"}, " upper ", "hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, format := range []trace.Format{trace.Full, trace.JSON} {
				is := is.New(t)
				got := traced(t, trace.Options{Only: c.only, Format: format}, hello, call, other)
				is.True(got != "")
				is.True(!strings.Contains(got, "--trace-only")) // all of it was found
				if format == trace.Full {
					is.True(strings.Contains(got, c.want))
					is.True(!strings.Contains(got, c.not))
				}
			}
		})
	}
}

func TestWhatIsAskedForAndNeverComesIsNamed(t *testing.T) {
	is := is.New(t)
	got := traced(t, trace.Options{Only: []string{"uper"}}, hello, call)
	is.Equal(got, "mcp-bash: --trace-only uper: no stage has this name, and no message had such a method, id or name\n")
}

func TestAMessageThatNeverEndsIsNamedAtTheEnd(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	p := trace.New(&out, trace.Options{})
	p.Step(pipeline.Step{Line: 1, At: time.Now(), Stage: "sanitize", Message: pipeline.Parse([]byte(call)), Verdict: pipeline.VerdictEntered})
	is.True(!strings.Contains(out.String(), "never over"))
	p.Close()
	is.True(strings.Contains(out.String(), "  7   never over, last in sanitize"))
}

func TestWhatOthersWroteStaysOnItsLine(t *testing.T) {
	is := is.New(t)
	got := traced(t, trace.Options{Format: trace.Full}, hello, `{"jsonrpc":"2.0","id":1,"method":"a\n\u001b[31mb`+strings.Repeat("c", 5000)+`"}`)
	is.True(!strings.Contains(got, "\x1b"))
	is.True(strings.Contains(got, `→ 1   a\n[31mbcc`))
	is.True(len(got) < 2500)
}

func TestAChangeThatIsTooLargeSaysItsSizes(t *testing.T) {
	is := is.New(t)
	large := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"` + strings.Repeat("c", 1<<19) + `"}}`
	got := traced(t, trace.Options{Format: trace.Full}, hello, large)
	is.True(strings.Contains(got, "upper changed"))
	is.True(strings.Contains(got, "bytes became"))
	is.True(len(got) < 2000)
}

func TestEveryObjectHasTheShapeOfItsSchema(t *testing.T) {
	is := is.New(t)
	text, err := os.ReadFile("../../../docs/trace.schema.json")
	is.NoErr(err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	is.NoErr(err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	is.NoErr(c.AddResource("trace.schema.json", document))
	schema, err := c.Compile("trace.schema.json")
	is.NoErr(err)

	refusing := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Note(ctx, "pid", 4711, "script", "tool.sh")
		_ = pipeline.From(ctx).Notify(ctx, "notifications/message", map[string]string{"data": "x"})
		if m.Method() == "tools/list" {
			return nil, pipeline.ErrInvalidParams
		}
		return hello(ctx, m)
	}
	got := traced(t, trace.Options{Format: trace.JSON}, refusing, call, other, "\ufeff"+other, "["+other+"]", "{", "", `{"jsonrpc":"2.0","method":"note"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	seen := make(map[string]bool)
	for line := range strings.Lines(got) {
		step, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		is.NoErr(err)
		if err := schema.Validate(step); err != nil {
			t.Errorf("%s%v", line, err)
		}
		members := step.(map[string]any)
		for member := range members {
			seen[member] = true
		}
		seen[members["verdict"].(string)] = true
	}
	for _, want := range []string{"name", "id", "for", "reason", "patch", "bytes", "entered", "noted", "notes", "passed", "changed", "split", "answered", "refused", "dropped", "done"} {
		if !seen[want] {
			t.Errorf("no step has %s, so the test does not see it", want)
		}
	}
}

func TestAPatchSetsToNullToo(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	p := trace.New(&out, trace.Options{Format: trace.JSON})
	message := func(params string) *pipeline.Message {
		return pipeline.Parse([]byte(`{"jsonrpc":"2.0","method":"a","params":{"n":` + params + `}}`))
	}
	for _, to := range []string{`null`, `12345678901234567891`} {
		from := message(`12345678901234567890`)
		p.Step(pipeline.Step{Stage: "s", Message: from, Verdict: pipeline.VerdictChanged, From: from, To: message(to)})
		is.True(strings.Contains(out.String(), `"patch":[{"op":"replace","path":"/params/n","value":`+to+`}]`)) // numbers keep their digits
	}
}
