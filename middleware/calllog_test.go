package middleware_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// always logs every call.
func always(*pipeline.Message) bool { return true }

// timeless returns a log without values that differ between runs.
func timeless(w *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func ExampleCallLog() {
	log := slog.New(slog.NewTextHandler(os.Stdout,
		&slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "took" {
				return slog.Attr{}
			}
			return a
		}}))
	hello := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) { return m.Answer("hello") }
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.CallLog(pipeline.MCP, log, nil, nil)}, hello,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"}}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":"hello"}
	// level=INFO msg=call method=tools/call name=greet outcome=ok in=16 out=7 id=1
}

func TestACallIsLoggedWithHowItEnded(t *testing.T) {
	failed := func(meta string) string {
		return `{"content":[{"type":"text","text":"Tool failed: exit code 7\nmore"}],"isError":true,"_meta":` + meta + `}`
	}
	for name, c := range map[string]struct {
		result string
		err    error
		want   string
	}{
		"a result": {`{"content":[]}`, nil,
			`level=INFO msg=call method=tools/call name=resize outcome=ok took=0s in=17 out=14 id=7`},
		"a failure": {failed(`{"exitCode":7,"stderr":"a\nno such file\n"}`), nil,
			fmt.Sprintf(`outcome=failed took=0s in=17 out=%d id=7 exit=7 reason="no such file"`,
				len(failed(`{"exitCode":7,"stderr":"a\nno such file\n"}`)))},
		"a silent failure": {failed(`{}`), nil, `reason="Tool failed: exit code 7"`},
		"a failure somewhere": {failed(`{"at":"tool.sh:5","exitCode":2,"stderr":"no"}`), nil,
			`exit=2 at=tool.sh:5 reason=no`},
		"another's member": {failed(`{"at":7,"exitCode":2}`), nil, `exit=2 reason="Tool failed: exit code 7"`},
		"an announced reason": {`{"content":[{"text":"Invalid arguments:\n- at /a: expected string"}],"isError":true}`,
			nil, `reason="Invalid arguments: at /a: expected string"`},
		"a failure of another": {`{"structuredContent":{"isError":true}}`, nil, `outcome=ok`},
		"text that looks so":   {`{"content":[{"text":"\"isError\":true"}]}`, nil, `outcome=ok`},
		"a question": {`{"resultType":"input_required"}`, nil,
			`level=INFO msg=call method=tools/call name=resize outcome=input_required`},
		"a task": {`{"resultType":"task"}`, nil, `outcome=task`},
		"another type": {`{"content":[],"_meta":{"converted":2}}`, nil,
			`outcome=ok took=0s in=17 out=38 id=7 converted=2`},
		"no number of values":   {`{"content":[],"_meta":{"converted":"x"}}`, nil, "outcome=ok took=0s in=17 out=40 id=7\n"},
		"a failure with blanks": {`{"isError" : true, "content" : [ {"text" : "no"} ]}`, nil, `id=7 reason=no`},
		"a failure in escapes":  {`{"is\u0045rror":true}`, nil, `outcome=failed`},
		"a failure said twice":  {`{"isError":true,"isError":false}`, nil, `outcome=ok`},
		"a code that is none":   {failed(`{"exitCode":"x","stderr":["y"]}`), nil, `outcome=failed`},
		"another case":          {`{"ISERROR":true}`, nil, `outcome=ok`},
		"no object":             {`["isError",true]`, nil, `outcome=ok`},
		"a refusal": {"", fmt.Errorf("%w: Unknown tool: resize", pipeline.ErrInvalidParams),
			`level=WARN msg=call method=tools/call name=resize outcome=refused took=0s in=17 out=0 id=7 reason=`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				var log bytes.Buffer
				pipetest.In(t, middleware.CallLog(pipeline.MCP, timeless(&log), nil, always),
					func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
						if c.err != nil {
							return nil, c.err
						}
						return m.Answer(json.RawMessage(c.result))
					}, pipetest.Call(7, "tools/call", `{"name":"resize"}`))
				is.True(strings.Contains(log.String(), c.want)) // see the expected log below
				if t.Failed() {
					t.Log(log.String())
				}
			})
		})
	}
}

func TestACallOfAStageThatPanicsHasEnded(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	running := 0
	observe := func(context.Context, *pipeline.Message) func(middleware.CallEnd) {
		running++
		return func(middleware.CallEnd) { running-- }
	}
	own := pipeline.Middleware{Name: "own",
		Inbound: func(context.Context, *pipeline.Message, pipeline.Handler) (*pipeline.Message, error) {
			panic("oh")
		}}
	got := pipetest.Chain(t, chain(middleware.CallLog(pipeline.MCP, timeless(&log), observe, nil), own), nil, ping(1))
	is.Equal(got, []string{refusal(1, -32603, "internal error: panic")})
	is.Equal(running, 0)
	is.True(strings.Contains(log.String(), "level=WARN msg=call method=ping outcome=refused"))
	is.True(strings.Contains(log.String(), "reason=panic"))
}

func TestAnAnswerThatCannotLeaveAsItWasIsLoggedAsRefused(t *testing.T) {
	for name, c := range map[string]struct{ result, reason string }{
		"too large": {`"` + strings.Repeat("x", 300) + `"`, `reason="response 1 has 336 bytes, more than the limit of 200"`},
		"corrupt":   {`{"a":}`, `reason="corrupt output: response 1: `},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var log, out bytes.Buffer
			var observed middleware.CallEnd
			observe := func(context.Context, *pipeline.Message) func(middleware.CallEnd) {
				return func(e middleware.CallEnd) { observed = e }
			}
			stages := []pipeline.Middleware{middleware.OutputGuard(200),
				middleware.CallLog(pipeline.MCP, timeless(&log), observe, always)}
			pipetest.Serve(&out, stages, func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				return m.Answer(json.RawMessage(c.result))
			}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
			is.True(strings.Contains(out.String(), `"code":-32603`)) // what the client got
			is.True(strings.Contains(log.String(), "level=WARN msg=call method=tools/call name=a outcome=refused"))
			is.True(strings.Contains(log.String(), c.reason))
			is.Equal(observed.Outcome, "refused")
			is.True(observed.Reason != "")
		})
	}
}

func TestACancelledCallIsLoggedAsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log bytes.Buffer
		slots := middleware.NewSlots(1, 10)
		chain := []pipeline.Middleware{
			middleware.Cancel(pipeline.MCP, quiet), middleware.CallLog(pipeline.MCP, timeless(&log), nil, always),
			middleware.Workers(slots, func(m *pipeline.Message) bool { return m.Method() == "wait" }, nil),
		}
		c := pipetest.Start(t, chain, waiting, pipeline.Options{})
		c.Send(wait(1, 9))
		synctest.Wait()
		c.Send(cancelled(1))
		synctest.Wait()
		is.NoErr(c.Close())
		is.True(strings.Contains(log.String(), "outcome=cancelled took=0s"))
	})
}

func TestACallWhoseClientHasDisconnectedIsLoggedAsCancelled(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	pipetest.In(t, middleware.CallLog(pipeline.MCP, timeless(&log), nil, always),
		func(context.Context, *pipeline.Message) (*pipeline.Message, error) { return nil, context.Canceled },
		pipetest.Call(1, "tools/call", `{"name":"a"}`))
	is.True(strings.HasPrefix(log.String(), "level=INFO msg=call method=tools/call name=a outcome=cancelled "))
}

func TestHowATaskHasEndedIsLoggedToo(t *testing.T) {
	failed := pipeline.WireError(pipeline.ErrInternal)
	for _, c := range []struct {
		task mcp.Task
		want string
	}{
		{mcp.Task{Status: mcp.TaskCompleted, Outcome: json.RawMessage(`{"content":[]}`)},
			"level=INFO msg=task method=tools/call name=a outcome=ok "},
		{mcp.Task{Status: mcp.TaskCompleted, Outcome: json.RawMessage(`{"isError":true,"_meta":{"exitCode":3}}`)}, " exit=3"},
		{mcp.Task{Status: mcp.TaskFailed, Error: failed}, "level=WARN msg=task method=tools/call name=a outcome=refused "},
		{mcp.Task{Status: mcp.TaskCancelled}, "outcome=cancelled"},
	} {
		is := is.New(t)
		var log bytes.Buffer
		var end func(mcp.TaskResult)
		pipetest.In(t, middleware.CallLog(pipeline.MCP, timeless(&log), nil, always),
			func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				end = mcp.TaskEnd(ctx)
				return m.Answer(json.RawMessage(`{"resultType":"task"}`))
			}, pipetest.Call(1, "tools/call", `{"name":"a"}`))
		is.True(strings.Contains(log.String(), "msg=call method=tools/call name=a outcome=task "))
		log.Reset()
		end(mcp.TaskResult{Task: c.task})
		is.True(strings.Contains(log.String(), c.want))
	}
}

func TestTheTimeInTheQueueCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var log bytes.Buffer
		slots := middleware.NewSlots(1, 10)
		chain := []pipeline.Middleware{
			middleware.CallLog(pipeline.MCP, timeless(&log), nil, always),
			middleware.Workers(slots, func(m *pipeline.Message) bool { return m.Method() == "wait" }, nil),
		}
		c := pipetest.Start(t, chain, waiting, pipeline.Options{})
		c.Send(wait(1, 2), wait(2, 3))
		<-time.After(6 * time.Second)
		is.NoErr(c.Close())
		is.True(strings.Contains(log.String(), "took=2s"))
		is.True(strings.Contains(log.String(), "took=5s")) // it waited for the first
	})
}

func TestOnlyCallsThatCountAreLogged(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	stage := middleware.CallLog(pipeline.MCP, timeless(&log), nil,
		func(m *pipeline.Message) bool { return m.Method() == "a" })
	pipetest.In(t, stage, nil, pipetest.Call(1, "b", ""), pipetest.Notification("a", ""))
	is.Equal(log.String(), "")
}

func TestALogLineIsBounded(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	long := strings.Repeat("ä", 1<<20)
	pipetest.In(t, middleware.CallLog(pipeline.MCP, timeless(&log), nil, always), nil,
		pipetest.Call(1, "tools/call", `{"name":"`+long+`"}`))
	is.True(log.Len() < 1000)
}

func TestCallsBeyondTheRateLimitAreLoggedAndSeen(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	var seen []string
	observe := func(context.Context, *pipeline.Message) func(middleware.CallEnd) {
		return func(e middleware.CallEnd) { seen = append(seen, e.Outcome) }
	}
	stages := middleware.Standard(middleware.Settings{Dialect: pipeline.MCP, Log: quiet, Calls: timeless(&log),
		Observe: observe, Rates: middleware.Rates{Calls: 1}, MaxMessage: 1 << 20})
	pipetest.Chain(t, stages, nil, pipetest.Call(1, "tools/call", `{"name":"a"}`),
		pipetest.Call(2, "tools/call", `{"name":"a"}`))
	is.Equal(seen, []string{"ok", "refused"})
	is.True(strings.Contains(log.String(), `outcome=refused`))
	is.True(strings.Contains(log.String(), `reason="Too many calls: at most 1 a minute; try again later"`))
}

func TestObserversSeeCallsBeginAndEnd(t *testing.T) {
	is := is.New(t)
	var seen []string
	observe := func(_ context.Context, m *pipeline.Message) func(middleware.CallEnd) {
		if m.Method() == "ping" {
			return nil // not logged
		}
		name := middleware.Subject(pipeline.MCP, m)
		seen = append(seen, name+" begins")
		return func(e middleware.CallEnd) { seen = append(seen, name+" "+e.Outcome+": "+e.Reason) }
	}
	never := func(*pipeline.Message) bool { return false }
	stage := middleware.CallLog(pipeline.MCP, nil, observe, never)
	pipetest.In(t, stage, func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		seen = append(seen, m.Method())
		return nil, fmt.Errorf("%w: no", pipeline.ErrInvalidParams)
	}, pipetest.Call(1, "ping", `{}`), pipetest.Call(2, "tools/call", `{"name":"resize"}`))
	is.Equal(len(seen), 4)
	is.Equal(seen[:3], []string{"ping", "resize begins", "tools/call"})
	is.True(strings.HasPrefix(seen[3], "resize refused: ") && strings.HasSuffix(seen[3], "no"))
}

func TestOtherCallsAreLoggedAtDebugLevelOnly(t *testing.T) {
	is := is.New(t)
	for level, want := range map[slog.Level]string{
		slog.LevelInfo:  "",
		slog.LevelDebug: "level=DEBUG msg=call method=ping outcome=ok took=0s in=0 out=2 id=1\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime}))
			pipetest.In(t, middleware.CallLog(pipeline.MCP, log, nil, func(*pipeline.Message) bool { return false }), nil,
				ping(1))
			is.Equal(out.String(), want)
		})
	}
}

func TestOfALanguageServerTheCallLogNamesTheDocument(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	hover := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(json.RawMessage(`{"isError":true}`)) // means nothing there
	}
	pipetest.In(t, middleware.CallLog(pipeline.LSP, timeless(&log), nil, nil), hover,
		pipetest.Call(1, "textDocument/hover", `{"textDocument":{"uri":"file:///a.go"},"name":"other"}`))
	is.True(strings.Contains(log.String(), "name=file:///a.go outcome=ok"))
}

func TestTheCallLogNamesTheCaller(t *testing.T) {
	is := is.New(t)
	var log bytes.Buffer
	who := pipeline.Middleware{
		Name: "who",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			return next(mcp.WithCaller(ctx, mcp.Caller{Subject: "ada", Session: "secret", Address: "192.0.2.1"}), m)
		},
	}
	stages := pipeline.Combine("both", who, middleware.CallLog(pipeline.MCP, timeless(&log), nil, nil))
	pipetest.In(t, stages, nil, pipetest.Call(1, "a", ""))
	is.True(strings.Contains(log.String(), " id=1 caller=ada from=192.0.2.1"))
	is.True(!strings.Contains(log.String(), "secret")) // who has the id of a session may use it
}
