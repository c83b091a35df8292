package middleware_test

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleToken() {
	token := middleware.Token(middleware.Secret{Token: "open sesame", Keys: []string{"token"}}, slog.New(slog.DiscardHandler))
	show := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) { return m.Answer(m.Params()) }
	pipetest.Serve(os.Stdout, []pipeline.Middleware{token}, show,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"token":"open sesame","progressToken":7}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"token":"open barley"}}}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"_meta":{"progressToken":7}}}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Remote token missing or invalid"}}
}

const sesame = "0123456789abcdef0123456789abcdef"

func secret() middleware.Secret {
	return middleware.Secret{Token: sesame, Keys: []string{"mcpbash/remoteToken", "remoteToken"}}
}

// shown answers with the line that passed the stage.
func shown(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	if m.Kind() != pipeline.Call {
		return nil, nil
	}
	return m.Answer(string(m.Line()))
}

// through returns the line that passed the stage, or the error.
func through(t *testing.T, line string) string {
	t.Helper()
	got := pipetest.In(t, middleware.Token(secret(), quiet), shown, line)
	if len(got) != 1 {
		t.Fatalf("want one answer, got %q", got)
	}
	m := pipeline.Parse([]byte(got[0]))
	if m.Fault() != nil {
		return m.Fault().Message
	}
	var text string
	if err := stdjson.Unmarshal(m.Result(), &text); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheTokenIsRemovedFromMessagesThatPass(t *testing.T) {
	const call, end = `{"jsonrpc":"2.0","id":1,"method":"m","params":`, `}`
	for name, c := range map[string]struct{ in, want string }{
		"alone":             {`{"_meta":{"remoteToken":"T"}}`, `{"_meta":{}}`},
		"first":             {`{"_meta":{"remoteToken":"T" , "a":1}}`, `{"_meta":{"a":1}}`},
		"last":              {`{"_meta":{"a":1,"mcpbash/remoteToken":"T"},"b":2}`, `{"_meta":{"a":1},"b":2}`},
		"in between":        {`{"_meta":{"a":1, "remoteToken":"T", "b":2}}`, `{"_meta":{"a":1, "b":2}}`},
		"under both keys":   {`{"_meta":{"remoteToken":"T","mcpbash/remoteToken":"T","a":1}}`, `{"_meta":{"a":1}}`},
		"twice":             {`{"_meta":{"a":1,"remoteToken":"no","remoteToken":"T"}}`, `{"_meta":{"a":1}}`},
		"in two objects":    {`{"_meta":{"remoteToken":"T"},"a":1,"_meta":{"remoteToken":"T"}}`, `{"_meta":{},"a":1,"_meta":{}}`},
		"in other spelling": {`{"_met\u0061":{"remote\u0054oken":"\u0030` + sesame[1:] + `"}}`, `{"_met\u0061":{}}`},
		"not elsewhere":     {`{"remoteToken":"x","_meta":{"in":{"remoteToken":"y"},"remoteToken":"T"}}`, `{"remoteToken":"x","_meta":{"in":{"remoteToken":"y"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			in := strings.ReplaceAll(c.in, `"T"`, `"`+sesame+`"`)
			is.Equal(through(t, call+in+end), call+c.want+end) // otherwise unchanged
		})
	}
}

func TestMessagesWithoutTheTokenAreRefused(t *testing.T) {
	for name, params := range map[string]string{
		"no params":      ``,
		"no _meta":       `{}`,
		"params a list":  `["` + sesame + `"]`,
		"_meta a string": `{"_meta":"` + sesame + `"}`,
		"another token":  `{"_meta":{"remoteToken":"` + sesame[1:] + `0"}}`,
		"a part of it":   `{"_meta":{"remoteToken":"` + sesame[1:] + `"}}`,
		"empty":          `{"_meta":{"remoteToken":""}}`,
		"no string":      `{"_meta":{"remoteToken":["` + sesame + `"]}}`,
		"another place":  `{"remoteToken":"` + sesame + `"}`,
		"another case":   `{"_meta":{"remotetoken":"` + sesame + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(through(t, pipetest.Call(1, "initialize", params)), "Remote token missing or invalid")
		})
	}
}

func TestPingNeedsNoTokenAndItsTokenIsRemoved(t *testing.T) {
	is := is.New(t)
	is.Equal(through(t, ping(1)), ping(1))
	is.Equal(through(t, pipetest.Call(1, "ping", `{"_meta":{"remoteToken":"`+sesame+`"}}`)), pipetest.Call(1, "ping", `{"_meta":{}}`))
}

func TestANotificationWithoutTheTokenDoesNothing(t *testing.T) {
	is := is.New(t)
	var passed []string
	note := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		passed = append(passed, m.Kind().String())
		return nil, nil
	}
	got := pipetest.In(t, middleware.Token(secret(), quiet), note,
		pipetest.Notification("notifications/cancelled", `{"requestId":1}`),
		pipetest.Notification("notifications/cancelled", `{"requestId":1,"_meta":{"remoteToken":"`+sesame+`"}}`))
	is.Equal(len(got), 0)
	is.Equal(passed, []string{"notification"}) // the second
}

func TestWithoutASecretEverythingPassesUnchanged(t *testing.T) {
	is := is.New(t)
	line := pipetest.Call(1, "m", `{"_meta":{"remoteToken":"x"}}`)
	got := pipetest.In(t, middleware.Token(middleware.Secret{Keys: []string{"remoteToken"}}, quiet), pipetest.OK, line)
	is.Equal(got, []string{pong(1)})
}

func TestBothErasNeedTheToken(t *testing.T) {
	is := is.New(t)
	s := new(mcp.Session)
	stages := chain(middleware.Token(secret(), quiet), middleware.Stateless(knows), middleware.Lifecycle(s, admission))
	token := `,"remoteToken":"` + sesame + `"`
	got := pipetest.Chain(t, stages, lifecycle(s).Serve,
		pipetest.Call(1, "tools/list", claim("")),
		pipetest.Call(2, "tools/list", claim(token)),
		initialize)
	refused := "Remote token missing or invalid"
	is.Equal(got, []string{refusal(1, -32602, refused), pong(2), refusal("i", -32602, refused)})
	is.Equal(s.Phase(), mcp.Unopened) // no session was opened
}

func TestTooManyFailuresAreThrottledForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log bytes.Buffer
		c := pipetest.Start(t, chain(middleware.Token(secret(), slog.New(slog.NewTextHandler(&log, nil)))), nil, pipeline.Options{})
		try := func(id int) string {
			c.Call(id, "tools/list", "")
			return c.Recv()
		}
		for id := range 10 {
			is.Equal(try(id), refusal(id, -32602, "Remote token missing or invalid"))
		}
		is.Equal(try(10), refusal(10, -32602, "Remote token missing or invalid (throttled)"))
		is.Equal(strings.Count(log.String(), "without the remote token"), 10) // nor logged
		c.Call(11, "tools/list", fmt.Sprintf(`{"_meta":{"remoteToken":%q}}`, sesame))
		is.Equal(c.Recv(), pong(11)) // a client with the token is not locked out
		<-time.After(time.Minute)
		is.Equal(try(12), refusal(12, -32602, "Remote token missing or invalid"))
	})
}

func FuzzTheTokenIsRemovedFromAnyMessage(f *testing.F) {
	for _, seed := range []string{`{}`, `{"_meta":{"remoteToken":1}}`, `{"_meta":{"remoteToken":{},"remoteToken":2 ,"a":[]}}`, `[]`, `{"_meta":{ "a" : 1 , "remoteToken" : "x" } }`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, params string) {
		in := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + params + `}`))
		if in.Kind() != pipeline.Call || bytes.ContainsAny(in.Line(), "\n") {
			return
		}
		var out *pipeline.Message
		stage := middleware.Token(secret(), quiet)
		stage.Inbound(t.Context(), in, func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			out = m
			return nil, nil
		})
		if out == nil || out.Kind() != pipeline.Call || out.Method() != in.Method() {
			t.Fatalf("%s became %s", in.Line(), out.Line())
		}
		var p struct { // names match exactly, and duplicates are removed too
			Meta json.Value `json:"_meta"`
		}
		var meta map[string]json.Value
		each := json.AllowDuplicateNames(true)
		if json.Unmarshal(out.Params(), &p, each) == nil && json.Unmarshal(p.Meta, &meta, each) == nil && meta["remoteToken"] != nil {
			t.Errorf("%s still has the token", out.Line())
		}
	})
}

func BenchmarkToken(b *testing.B) {
	stage := middleware.Token(secret(), quiet)
	m := pipeline.Parse([]byte(pipetest.Call(1, "tools/call", `{"name":"hello","arguments":{"name":"you"},"_meta":{"remoteToken":"`+sesame+`"}}`)))
	next := func(context.Context, *pipeline.Message) (*pipeline.Message, error) { return nil, nil }
	for b.Loop() {
		stage.Inbound(b.Context(), m, next)
	}
}

func TestASecretWithoutKeysUsesTheDefaultKeys(t *testing.T) {
	is := is.New(t)
	secret := strings.Repeat("x", 32)
	for _, key := range []string{"mcpbash/remoteToken", "remoteToken"} {
		got := pipetest.In(t, middleware.Token(middleware.Secret{Token: secret}, quiet), func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			is.True(!strings.Contains(string(m.Line()), secret)) // it is dropped
			return m.Answer(nil)
		}, `{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"`+key+`":"`+secret+`"}}}`)
		is.Equal(strings.Join(got, "\n"), pong(1))
	}
}
