package interceptor_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// rule returns an interceptor of an expression for calls of tools in both directions.
func rule(t testing.TB, kind, name, jq string) *interceptor.Interceptor {
	t.Helper()
	answer, err := interceptor.Expression(kind, jq)
	if err != nil {
		t.Fatal(err)
	}
	return &interceptor.Interceptor{
		Definition: interceptor.Definition{Name: name, Type: kind, Hooks: []interceptor.Hook{
			{Events: []string{"tools/call"}, Phase: interceptor.Request}, {Events: []string{"tools/call"}, Phase: interceptor.Response}}},
		Answer: answer,
	}
}

func pass(d interceptor.Direction, payload string, all ...*interceptor.Interceptor) (string, []interceptor.Told, error) {
	var mu sync.Mutex
	var told []interceptor.Told
	s := &interceptor.Set{All: all, Tell: func(t interceptor.Told) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, t)
	}}
	got, err := s.Pass(context.Background(), d,
		interceptor.Question{Event: "tools/call", Phase: interceptor.Request, Payload: json.RawMessage(payload)})
	return string(got), told, err
}

func TestWhatIsSentIsMutatedFirstAndWhatIsReceivedIsValidatedFirst(t *testing.T) {
	is := is.New(t)
	upper := rule(t, interceptor.Mutation, "upper", `.text |= ascii_upcase`)
	onlyUpper := rule(t, interceptor.Validation, "only-upper", `.text == (.text | ascii_upcase)`)
	got, _, err := pass(interceptor.Sending, `{"text":"a"}`, onlyUpper, upper)
	is.NoErr(err)
	is.Equal(got, `{"text":"A"}`)
	got, _, err = pass(interceptor.Receiving, `{"text":"a"}`, onlyUpper, upper)
	is.True(err != nil)
	is.Equal(got, `{"text":"a"}`)
}

func TestMutatorsAreInOrderOfPriorityThenNameAndAllOrNone(t *testing.T) {
	is := is.New(t)
	add := func(name string, priority int32) *interceptor.Interceptor {
		i := rule(t, interceptor.Mutation, name, `.text += $name`)
		i.Priority = interceptor.Priority{Request: priority, Response: -priority}
		return i
	}
	got, _, err := pass(interceptor.Receiving, `{"text":""}`, add("d", 1), add("b", 0), add("a", 0), add("c", -5))
	is.NoErr(err)
	is.Equal(got, `{"text":"cabd"}`)
	broken := rule(t, interceptor.Mutation, "z", `error("no")`)
	got, _, err = pass(interceptor.Receiving, `{"text":""}`, add("a", 0), broken)
	var refusal *interceptor.Refusal
	is.True(errors.As(err, &refusal))
	is.Equal(refusal.Wire.Code, int64(jsonrpc2.CodeInternalError))
	is.Equal(err.Error(), "interceptor z failed: error: no")
	is.Equal(string(*refusal.Wire.Data), `{"failedInterceptor":"z"}`)
	is.Equal(got, `{"text":""}`)
	broken.FailOpen = true
	got, told, err := pass(interceptor.Receiving, `{"text":""}`, add("a", 0), broken)
	is.NoErr(err)
	is.Equal(got, `{"text":"a"}`)
	is.Equal(told[1].What, interceptor.Failed)
}

func TestAllValidatorsFinishAndTheErrorHasWhatEachObjectsTo(t *testing.T) {
	is := is.New(t)
	first, second := rule(t, interceptor.Validation, "first", `"too long"`), rule(t, interceptor.Validation, "second", `false`)
	second.Description = "only on Mondays"
	warns := rule(t, interceptor.Validation, "warns", `{valid: false, severity: "warn", messages: [{message: "odd"}]}`)
	_, told, err := pass(interceptor.Receiving, `{}`, first, second, warns)
	is.Equal(err.Error(), "refused by first: too long")
	var wire *jsonrpc2.Error
	is.True(errors.As(err, &wire))
	is.Equal(wire.Code, int64(jsonrpc2.CodeInvalidParams))
	is.Equal(string(*wire.Data), `{"validationErrors":[{"interceptor":"first","severity":"error","message":"too long"},`+
		`{"interceptor":"second","severity":"error","message":"only on Mondays"}]}`)
	is.Equal(len(told), 3)
	_, _, err = pass(interceptor.Receiving, `{}`, warns)
	is.NoErr(err) // only errors block
}

func TestAuditNeverBlocksNorApplies(t *testing.T) {
	is := is.New(t)
	no, change, broken := rule(t, interceptor.Validation, "no", `false`), rule(t, interceptor.Mutation, "change", `.a = 1`),
		rule(t, interceptor.Validation, "broken", `error("x")`)
	for _, i := range []*interceptor.Interceptor{no, change, broken} {
		i.Mode = interceptor.Audit
	}
	got, told, err := pass(interceptor.Receiving, `{}`, no, change, broken)
	is.NoErr(err)
	is.Equal(got, `{}`)
	is.Equal([]interceptor.What{told[0].What, told[1].What, told[2].What},
		[]interceptor.What{interceptor.Refused, interceptor.Changed, interceptor.Failed})
	is.Equal(string(told[1].After), `{"a":1}`)
}

func TestWhatAuditsInTheBackgroundSeesTheMessageAsItCame(t *testing.T) {
	is := is.New(t)
	audit, change := rule(t, interceptor.Mutation, "audit", `.b = 1`), rule(t, interceptor.Mutation, "change", `.a = 2`)
	audit.Mode = interceptor.Audit
	seen, begin := make(chan interceptor.Told, 2), make(chan struct{})
	s := &interceptor.Set{All: []*interceptor.Interceptor{audit, change}, Background: func(f func()) {
		go func() {
			<-begin
			f()
		}()
	}, Tell: func(told interceptor.Told) { seen <- told }}
	got, err := s.Pass(t.Context(), interceptor.Receiving,
		interceptor.Question{Event: "tools/call", Phase: interceptor.Request, Payload: json.RawMessage(`{"a":1}`)})
	is.NoErr(err)
	is.Equal(string(got), `{"a":2}`)
	is.Equal((<-seen).Name, "change")
	close(begin) // no message waits for it
	is.Equal(string((<-seen).Before), `{"a":1}`)
}

func TestAnInterceptorThatHangsOrPanicsHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		hangs := rule(t, interceptor.Validation, "hangs", `true`)
		hangs.Timeout = 100 * time.Millisecond
		hangs.Answer = func(ctx context.Context, _ interceptor.Question) (interceptor.Result, error) {
			<-ctx.Done()
			return interceptor.Result{}, nil
		}
		_, _, err := pass(interceptor.Receiving, `{}`, hangs)
		var wire *jsonrpc2.Error
		is.True(errors.As(err, &wire))
		is.Equal(wire.Code, int64(-32000))
		is.Equal(string(*wire.Data), `{"interceptor":"hangs","phase":"request","timeoutMs":100}`)
		hangs.Answer = func(context.Context, interceptor.Question) (interceptor.Result, error) { panic("oh") }
		_, _, err = pass(interceptor.Receiving, `{}`, hangs)
		is.Equal(err.Error(), "interceptor hangs failed: it panicked: oh")
	})
}

func TestAnExpressionIsBoundedAndReadsNothing(t *testing.T) {
	is := is.New(t)
	t.Setenv("ICEPT_SECRET", "s3cret")
	loop := rule(t, interceptor.Validation, "loop", `def f: f; f`)
	loop.Timeout = 50 * time.Millisecond
	_, _, err := pass(interceptor.Receiving, `{}`, loop)
	is.True(err != nil)
	got, _, err := pass(interceptor.Receiving, `{}`, rule(t, interceptor.Mutation, "env", `.a = (env | tostring) + ($ENV | tostring)`))
	is.NoErr(err)
	is.True(!strings.Contains(got, "s3cret"))
	for _, text := range []string{`(`, `$nothing`, `input_filename | unknown`, `import "a" as a; .`} {
		_, err := interceptor.Expression(interceptor.Validation, text)
		is.True(err != nil)
	}
	got, _, err = pass(interceptor.Receiving, `{"b":1.0,"a":[]}`, rule(t, interceptor.Mutation, "same", `.`))
	is.NoErr(err)
	is.Equal(got, `{"b":1.0,"a":[]}`) // byte for byte
	for _, text := range []string{`empty`, `true, true`, `1`, `null`} {
		_, _, err = pass(interceptor.Receiving, `{}`, rule(t, interceptor.Validation, "odd", text))
		is.True(err != nil)
	}
}

func TestHooks(t *testing.T) {
	is := is.New(t)
	for _, c := range []struct {
		pattern, phase, event, at string
		want                      bool
	}{
		{"*", "request", "anything/at-all", "request", true},
		{"*", "request", "tools/call", "response", false},
		{"*/request", "request", "tools/call", "request", true},
		{"*/request", "response", "tools/call", "response", false}, // the phase still counts
		{"*/response", "both", "tools/call", "response", true},
		{"*/response", "both", "tools/call", "request", false},
		{"tools/*", "both", "tools/call", "response", true},
		{"tools/*", "both", "prompts/get", "response", false},
		{"tools/call", "request", "tools/calls", "request", false},
	} {
		i := rule(t, interceptor.Validation, "r", `true`)
		i.Hooks = []interceptor.Hook{{Events: []string{c.pattern}, Phase: c.phase}}
		some, _ := (&interceptor.Set{All: []*interceptor.Interceptor{i}}).Hooks(c.event, c.at)
		is.Equal(some, c.want) // of the row
	}
}

func TestTheOlderAndTheNewerFormAreRead(t *testing.T) {
	is := is.New(t)
	var d interceptor.Definition
	is.NoErr(json.Unmarshal([]byte(`{"name":"a","type":"mutation","hook":{"events":["tools/call"],"phase":"both"},`+
		`"mode":"enforce","priorityHint":{"request":5,"response":-1}}`), &d))
	text, err := json.Marshal(d)
	is.NoErr(err)
	is.Equal(string(text), `{"name":"a","type":"mutation","hooks":[{"events":["tools/call"],"phase":"request"},`+
		`{"events":["tools/call"],"phase":"response"}],"priorityHint":{"request":5,"response":-1}}`)
	for _, bad := range []string{`{"name":"a","type":"x","hooks":[{"events":["*"],"phase":"request"}]}`,
		`{"name":"a","type":"mutation","hooks":[{"events":["*"],"phase":"later"}]}`, `{"type":"mutation"}`,
		`{"name":"a","type":"mutation","hooks":[{"events":["["],"phase":"request"}]}`,
		`{"name":"a","type":"mutation","hooks":[{"events":["*"],"phase":"request"}],"priorityHint":"x"}`} {
		is.True(json.Unmarshal([]byte(bad), &interceptor.Definition{}) != nil)
	}
}

// hostWith returns a host, and the path of a script with the text.
func hostWith(t testing.TB, text string) (interceptor.Host, string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	root := t.TempDir()
	path := filepath.Join(root, "rule.sh")
	for _, err := range []error{os.Chmod(root, 0o755), os.WriteFile(path, []byte("#!/usr/bin/env bash\n"+text), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	runner := &process.Runner{}
	t.Cleanup(func() { runner.Close(time.Second) })
	return interceptor.Host{Root: root, Rules: hooks.Rules{Allowed: true}, Runner: runner,
		Env: func() []string { return []string{"PATH=" + os.Getenv("PATH")} }}, path
}

// One rule, written in every way there is, does the same.
func TestTheSameRuleInEveryWayToWriteIt(t *testing.T) {
	const bad = `case $question in *rm\ -rf*) `
	once, oncePath := hostWith(t, "question=$(cat)\n"+bad+"echo 'deletes files' >&2; exit 1 ;; esac\n")
	stays, staysPath := hostWith(t, "while IFS= read -r question; do\n"+bad+
		`echo '{"valid":false,"messages":[{"message":"deletes files"}]}' ;; *) echo '{"valid":true}' ;; esac`+"\ndone\n")
	pool := stays.Stay(staysPath, 0)
	defer pool.Close()
	expression, err := interceptor.Expression(interceptor.Validation, `if .arguments.command | test("rm -rf") then "deletes files" else true end`)
	if err != nil {
		t.Fatal(err)
	}
	inGo := func(_ context.Context, q interceptor.Question) (r interceptor.Result, err error) {
		valid := !strings.Contains(string(q.Payload), "rm -rf")
		r.Valid = &valid
		if !valid {
			r.Messages = []interceptor.Note{{Message: "deletes files"}}
		}
		return r, nil
	}
	for way, answer := range map[string]interceptor.Func{"jq": expression, "script": once.Script(interceptor.Validation, oncePath),
		"stay": pool.Answer, "go": inGo} {
		t.Run(way, func(t *testing.T) {
			is := is.New(t)
			i := rule(t, interceptor.Validation, "careful", "true")
			i.Answer = answer
			for _, c := range []struct{ command, want string }{{"ls", ""}, {"rm -rf /", "refused by careful: deletes files"},
				{"echo \\\"a\\nb\\\"", ""}, {"rm -rf .", "refused by careful: deletes files"}} {
				_, _, err := pass(interceptor.Receiving, `{"name":"run","arguments":{"command":"`+c.command+`"}}`, i)
				if c.want == "" {
					is.NoErr(err)
				} else {
					is.Equal(err.Error(), c.want)
				}
			}
		})
	}
}

func TestInterceptorsAreToldWhoCalls(t *testing.T) {
	is := is.New(t)
	params := []byte(`{"name":"run"}`)
	is.Equal(string(interceptor.Context(t.Context(), "s", params)), `{"sessionId":"s","subject":"run"}`)
	ctx := mcp.WithCaller(t.Context(), mcp.Caller{Address: "192.0.2.1"})
	is.Equal(string(interceptor.Context(ctx, "s", nil)),
		`{"sessionId":"s","principal":{"type":"anonymous","claims":{"address":"192.0.2.1"}}}`)
	ctx = mcp.WithCaller(t.Context(), mcp.Caller{Subject: "ada", Issuer: "https://id.example", Scopes: []string{"a", "b"}, Address: "::1"})
	is.Equal(string(interceptor.Context(ctx, "s", params)), `{"sessionId":"s","principal":{"type":"user","id":"ada",`+
		`"claims":{"address":"::1","iss":"https://id.example","scope":"a b"}},"subject":"run"}`)

	h, path := hostWith(t, `echo "not $MCP_CALLER_SUBJECT" >&2; exit 1`)
	i := rule(t, interceptor.Validation, "script", "true")
	i.Answer = h.Script(interceptor.Validation, path)
	_, err := (&interceptor.Set{All: []*interceptor.Interceptor{i}}).Pass(ctx, interceptor.Receiving,
		interceptor.Question{Event: "tools/call", Phase: interceptor.Request})
	is.Equal(err.Error(), "refused by script: not ada")
}

func TestAScriptThatMutates(t *testing.T) {
	is := is.New(t)
	h, path := hostWith(t, `read -r q; case $q in *keep*) ;; *) echo '{"modified":true,"payload":{"b":2}}' ;; esac`)
	i := rule(t, interceptor.Mutation, "m", ".")
	i.Answer = h.Script(interceptor.Mutation, path)
	got, _, err := pass(interceptor.Receiving, `{"a":1}`, i)
	is.NoErr(err)
	is.Equal(got, `{"b":2}`)
	got, _, err = pass(interceptor.Receiving, `{"a": "keep"}`, i)
	is.NoErr(err)
	is.Equal(got, `{"a": "keep"}`)
}

// Whatever a script does, the message is refused in time, and the next one is asked about anew.
func TestAResultThatIsNoneIsToldInTheWordsOfJSON(t *testing.T) {
	is := is.New(t)
	_, _, err := pass(interceptor.Receiving, `{}`, rule(t, interceptor.Validation, "odd", `{valid: 5}`))
	is.Equal(err.Error(), "interceptor odd failed: valid must not be of the type number")
	i := rule(t, interceptor.Validation, "odd", "true")
	h, path := hostWith(t, "echo '[]'")
	i.Answer = h.Script(interceptor.Validation, path)
	_, _, err = pass(interceptor.Receiving, `{}`, i)
	is.Equal(err.Error(), "interceptor odd failed: "+path+" printed what is not a result: it must not be of the type array")
}

func TestAScriptThatMisbehavesHasFailed(t *testing.T) {
	for name, text := range map[string]string{
		"exits":           "exit 7",
		"prints garbage":  "read -r q; echo hello",
		"is no result":    "read -r q; echo '{}'",
		"hangs":           "sleep 60",
		"ignores signals": "trap '' TERM; while :; do sleep 1; done",
		"floods":          "head -c 100000000 /dev/zero | tr '\\0' x",
		"forks":           "(sleep 60 & sleep 60) & echo nonsense; sleep 60",
		"reads nothing":   "exec <&-; sleep 60",
		"is not JSON":     "read -r q; echo '{\"valid\":tru'",
		"kills itself":    "kill -9 $$",
	} {
		h, path := hostWith(t, text)
		pool := h.Stay(path, 0)
		t.Cleanup(pool.Close)
		for way, answer := range map[string]interceptor.Func{"once": h.Script(interceptor.Validation, path), "stays": pool.Answer} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel() // it mostly waits
				is := is.New(t)
				i := rule(t, interceptor.Validation, "bad", "true")
				i.Answer, i.Timeout = answer, 500*time.Millisecond
				for range 2 {
					_, told, err := pass(interceptor.Receiving, `{"x":"`+strings.Repeat("x", 100_000)+`"}`, i)
					is.True(err != nil)
					is.Equal(told[0].What, interceptor.Failed)
				}
			})
		}
	}
}

func TestAScriptThatOthersMayWriteDoesNotRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing shows there who may write a file")
	}
	is := is.New(t)
	h, path := hostWith(t, "exit 0")
	is.NoErr(os.Chmod(path, 0o777))
	i := rule(t, interceptor.Validation, "theirs", "true")
	i.Answer = h.Script(interceptor.Validation, path)
	_, _, err := pass(interceptor.Receiving, `{}`, i)
	is.True(err != nil && strings.Contains(err.Error(), "can be written by others"))
}

func TestAScriptThatStaysIsStartedAgainAndServesManyAtOnce(t *testing.T) {
	is := is.New(t)
	h, path := hostWith(t, `read -r q; echo '{"valid":true}'`) // once
	pool := h.Stay(path, 0)
	defer pool.Close()
	i := rule(t, interceptor.Validation, "tired", "true")
	i.Answer = pool.Answer
	var group sync.WaitGroup
	errs := make(chan error, 40)
	for range 20 {
		group.Go(func() {
			_, _, err := pass(interceptor.Receiving, `{}`, i)
			errs <- err
		})
	}
	group.Wait()
	close(errs)
	good := 0
	for err := range errs {
		if err == nil {
			good++
		}
	}
	is.Equal(good, 20) // a process that has ended is not asked
}

func BenchmarkExpression(b *testing.B) {
	payload := json.RawMessage(`{"name":"run","arguments":{"command":"` + strings.Repeat("x", 960) + `"}}`)
	s := &interceptor.Set{All: []*interceptor.Interceptor{rule(b, interceptor.Validation, "r", `.arguments.command | test("rm -rf") | not`)}}
	for b.Loop() {
		if _, err := s.Pass(b.Context(), interceptor.Receiving, interceptor.Question{Event: "tools/call", Phase: "request", Payload: payload}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStay(b *testing.B) {
	h, path := hostWith(b, "while IFS= read -r q; do echo '{\"valid\":true}'; done\n")
	pool := h.Stay(path, 0)
	defer pool.Close()
	i := rule(b, interceptor.Validation, "r", "true")
	i.Answer = pool.Answer
	s := &interceptor.Set{All: []*interceptor.Interceptor{i}}
	for b.Loop() {
		if _, err := s.Pass(b.Context(), interceptor.Receiving, interceptor.Question{Event: "tools/call", Phase: "request", Payload: json.RawMessage(`{}`)}); err != nil {
			b.Fatal(err)
		}
	}
}
