package middleware_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleOutputGuard() {
	careless := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Method() == "pretty" {
			return m.Answer(json.RawMessage("{\r\n  \"a\": 1.0\r\n}"))
		}
		return m.Answer(json.RawMessage("{ broken"))
	}
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.OutputGuard(1 << 20)}, careless,
		`{"jsonrpc":"2.0","id":1,"method":"pretty"}`,
		`{"jsonrpc":"2.0","id":2,"method":"careless"}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"a":1.0}}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"internal error: the answer was not valid JSON"}}
}

// handing answers with the bytes of a result.
func handing(result string) pipeline.Handler {
	return func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(json.RawMessage(result))
	}
}

func note(params string) *pipeline.Message {
	m, err := pipeline.NewNotification("note", json.RawMessage(params))
	if err != nil {
		panic(err)
	}
	return m
}

func notValid(id any) string {
	return refusal(id, -32603, "internal error: the answer was not valid JSON")
}

// corrupt is invalid JSON.
var corrupt = map[string]string{
	"no JSON":                       `garbage`,
	"blanks":                        `  `,
	"cut off":                       `{"a":`,
	"a bracket too many":            `{}}`,
	"two values":                    `{} {}`,
	"another member":                `{},"id":2`,
	"another result":                `1,"result":2`,
	"an error beside it":            `1,"error":{"code":1,"message":"x"}`,
	"a second message":              `{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{}`,
	"invalid UTF-8":                 "\"\xff\"",
	"a surrogate in UTF-8":          "\"\xed\xa0\x80\"",
	"a byte order mark":             "\ufeff{}",
	"a line break in a string":      "\"a\nb\"",
	"a carriage return in a string": "\"a\rb\"",
	"a NUL":                         "\"\x00\"",
	"a comment":                     `{} // done`,
	"NaN":                           `NaN`,
}

func TestACorruptAnswerIsReplacedByAnErrorWithItsID(t *testing.T) {
	for name, result := range corrupt {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := pipetest.In(t, middleware.OutputGuard(0), handing(result), ping("x"))
			is.Equal(got, []string{notValid("x")}) // one line, one answer
		})
	}
}

func TestACorruptNotificationIsDropped(t *testing.T) {
	for name, params := range corrupt {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(len(pipetest.Out(t, middleware.OutputGuard(0), note(params))), 0)
		})
	}
}

func TestCorruptDataOfAnErrorIsReplaced(t *testing.T) {
	for name, data := range corrupt {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			refuse := func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
				err := pipeline.Errorf(-1, "no")
				err.Data = (*json.RawMessage)(new([]byte))
				*err.Data = json.RawMessage(data)
				return nil, err
			}
			is.Equal(pipetest.In(t, middleware.OutputGuard(0), refuse, ping(1)), []string{notValid(1)})
		})
	}
}

func TestLineBreaksBetweenTokensAreRemoved(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"pretty JSON":             {"{\n  \"a\": [\n    1.0,\n    2\n  ]\n}", `{"a":[1.0,2]}`},
		"carriage returns":        {"{\r\n\"a\":1\r\n}\r\n", `{"a":1}`},
		"a line break behind":     {"{}\n", `{}`},
		"a carriage return alone": {"{\r}", `{}`},
		"escaped ones":            {`"a\r\nb"`, `"a\r\nb"`},
		"everything else":         {"{ \"z\":1.0,\n\"a\":12345678901234567890,\"a\":1e400,\"h\":\"<>&\\u003c\\/\\ud83d \" }", "{\"z\":1.0,\"a\":12345678901234567890,\"a\":1e400,\"h\":\"<>&\\u003c\\/\\ud83d \"}"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(pipetest.In(t, middleware.OutputGuard(0), handing(c.result), ping(1)), []string{answer(1, c.want)})
		})
	}
}

func TestValidMessagesAreSentUnchanged(t *testing.T) {
	is := is.New(t)
	const odd = `{ "z":1.0, "a":1, "a":1e400, "s":"\ud83d" }`
	is.Equal(pipetest.In(t, middleware.OutputGuard(0), handing(odd), ping(1)), []string{answer(1, odd)}) // including blanks
	is.Equal(pipetest.Out(t, middleware.OutputGuard(0), note(odd), note("")), []string{
		pipetest.Notification("note", odd), pipetest.Notification("note", ""),
	})
	is.Equal(pipetest.In(t, middleware.OutputGuard(0), nil, `garbage`)[0][:45], `{"jsonrpc":"2.0","error":{"code":-32700,"mess`) // errors without id too
}

// U+2028 and U+2029 end a line for readers in JavaScript, Python and others.
func TestSeparatorsOfLinesAndParagraphsLeaveEscaped(t *testing.T) {
	const odd = "{ \"\u2029\":\"\\\\\u2028\u2028‘’€\u202a\" }"
	const escaped = `{ "\u2029":"\\\u2028\u2028` + "‘’€\u202a\" }"
	long := strings.Repeat("x", 5000) // not copied into its line
	encoded, err := pipeline.Encode(long + "\u2028")
	is := is.New(t)
	is.NoErr(err)
	answering := func(result any, err error) pipeline.Handler {
		return func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			if err != nil {
				return nil, err
			}
			return m.Answer(result)
		}
	}
	guard := middleware.OutputGuard(0)
	is.Equal(pipetest.In(t, guard, handing(odd), ping(1)), []string{answer(1, escaped)})
	is.Equal(pipetest.In(t, guard, handing("\n[\"\u2028\"]"), ping(1)), []string{answer(1, `["\u2028"]`)})
	is.Equal(pipetest.In(t, guard, answering(encoded, nil), ping(1)), []string{answer(1, `"`+long+`\u2028"`)})
	is.Equal(pipetest.In(t, guard, nil, ping("a\u2028")), []string{pong(`a\u2028`)})
	failed := pipetest.In(t, guard, answering(nil, pipeline.Errorf(-1, "a\u2028b")), ping(1))
	is.Equal(failed, []string{strings.Replace(refusal(1, -1, "a|b"), "|", `\u2028`, 1)})
	is.Equal(pipetest.Out(t, guard, note(odd)), []string{pipetest.Notification("note", escaped)})
	small := middleware.OutputGuard(len(answer(1, escaped)) - 1) // the size of what would be sent counts
	is.Equal(strings.Count(pipetest.In(t, small, handing(odd), ping(1))[0], "more than the limit"), 1)
}

func TestMalformedMessagesAreNotSent(t *testing.T) {
	is := is.New(t)
	for _, line := range []string{`garbage`, `[]`, ``, `{}`} {
		is.Equal(len(pipetest.Out(t, middleware.OutputGuard(0), pipeline.Parse([]byte(line)))), 0) // dropped
	}
}

func TestOnlyOneWholeMessageIsSent(t *testing.T) {
	for name, got := range map[string][]string{
		"params that are not an object":   pipetest.Out(t, middleware.OutputGuard(0), note(`5`)),
		"two values in the place of one":  pipetest.Out(t, middleware.OutputGuard(0), note(`{},"id":1`)),
		"a result that closes its object": pipetest.In(t, middleware.OutputGuard(0), handing(`1},{"a":2`), pipetest.Notification("note", "")),
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			for _, line := range got {
				is.Equal(line, refusal(nil, -32603, "internal error: the answer was not valid JSON"))
			}
		})
	}
}

func TestAnAnswerBeyondTheLimitIsReplacedByAnErrorWithBothSizes(t *testing.T) {
	is := is.New(t)
	const limit = 200
	fits := `"` + strings.Repeat("x", limit-len(answer(1, `""`))) + `"`
	got := pipetest.In(t, middleware.OutputGuard(limit), handing(fits), ping(1))
	is.Equal(got, []string{answer(1, fits)}) // exactly the limit
	got = pipetest.In(t, middleware.OutputGuard(limit), handing(fits), ping(12))
	is.Equal(got, []string{refusal(12, -32603, "internal error: the answer has 201 bytes, more than the limit of 200")})
	got = pipetest.In(t, middleware.OutputGuard(limit), handing("\n\n"+fits+"\n"), ping(1))
	is.Equal(got, []string{answer(1, fits)}) // the size of what would be sent counts
}

func TestANotificationBeyondTheLimitIsDropped(t *testing.T) {
	is := is.New(t)
	long := `{"text":"` + strings.Repeat("x", 200) + `"}`
	got := pipetest.Out(t, middleware.OutputGuard(200), note(long), note(`{}`))
	is.Equal(got, []string{pipetest.Notification("note", `{}`)})
}

func TestSendersGetAnErrorForMessagesThatWereNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.OutputGuard(200)), nil, pipeline.Options{})
		long := []string{strings.Repeat("x", 198)}
		err := c.Pipeline.Notify(t.Context(), "note", json.RawMessage(`{`))
		is.True(errors.Is(err, middleware.ErrCorrupt))
		is.Equal(err.Error(), "corrupt output: notification note: jsontext: unexpected EOF after offset 1")
		err = c.Pipeline.Notify(t.Context(), "note", long)
		is.True(!errors.Is(err, middleware.ErrCorrupt)) // a message that is too large is not corrupt
		is.Equal(err.Error(), "notification note has 245 bytes, more than the limit of 200")
		_, err = c.Pipeline.Call(t.Context(), "question", long) // fails at once
		is.Equal(err.Error(), "call question has 256 bytes, more than the limit of 200")
		_, err = c.Pipeline.Call(t.Context(), "question", json.RawMessage("\xff"))
		is.Equal(err.Error(), "corrupt output: call question: not valid UTF-8")
		is.Equal(len(c.Written()), 0)
	})
}

func FuzzOutputGuard(f *testing.F) {
	for _, result := range corrupt {
		f.Add([]byte(result))
	}
	f.Add([]byte("{\r\n\"a\": 1 }\n"))
	f.Add([]byte("\"\u2028\u2029\""))
	f.Fuzz(func(t *testing.T, result []byte) {
		for _, line := range pipetest.In(t, middleware.OutputGuard(0), handing(string(result)), ping(1)) {
			if m := pipeline.Parse([]byte(line)); m.Kind() != pipeline.Response || m.ID().String() != "1" || strings.ContainsAny(line, "\r\n\u2028\u2029") {
				t.Fatalf("%q leaves as %q", result, line)
			}
		}
	})
}
