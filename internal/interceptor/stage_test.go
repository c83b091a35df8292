package interceptor_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// staged returns a client of a stage with interceptors; each call is handled by asking the client's model.
func staged(t *testing.T, find func(context.Context) (*interceptor.Set, error)) *pipetest.Client {
	t.Helper()
	return pipetest.Start(t, []pipeline.Middleware{interceptor.Stage(interceptor.Receiving, find)},
		func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			result, err := pipeline.From(ctx).Call(ctx, "sampling/createMessage", map[string]string{"text": "my key"})
			if err != nil {
				return nil, err
			}
			return m.Answer(result)
		}, pipeline.Options{})
}

// asking returns an interceptor for what the server asks its client.
func asking(t *testing.T, kind, phase, jq string) *interceptor.Interceptor {
	i := rule(t, kind, "asks", jq)
	i.Hooks = []interceptor.Hook{{Events: []string{"sampling/*"}, Phase: phase}}
	return i
}

func fixed(all ...*interceptor.Interceptor) func(context.Context) (*interceptor.Set, error) {
	return func(context.Context) (*interceptor.Set, error) { return &interceptor.Set{All: all}, nil }
}

func TestWhatTheServerAsksItsClientPassesToo(t *testing.T) {
	is := is.New(t)
	c := staged(t, fixed(asking(t, interceptor.Mutation, interceptor.Request, `.text |= sub("key"; "[removed]")`),
		asking(t, interceptor.Mutation, interceptor.Response, `.answer |= ascii_upcase`)))
	c.Call(1, "tools/call", `{"name":"x"}`)
	is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"text":"my [removed]"}}`)
	c.Send(`{"jsonrpc":"2.0","id":1,"result":{"answer":"yes"}}`)
	is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"result":{"answer":"YES"}}`)
	is.NoErr(c.Close())
}

func TestAQuestionToTheClientThatIsRefusedDoesNotLeave(t *testing.T) {
	is := is.New(t)
	c := staged(t, fixed(asking(t, interceptor.Validation, interceptor.Request, `"no questions"`)))
	c.Call(1, "tools/list", `{}`)
	is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"refused by asks: no questions",`+
		`"data":{"validationErrors":[{"interceptor":"asks","severity":"error","message":"no questions"}]}}}`)
	is.NoErr(c.Close())
}

func TestAnAnswerOfTheClientThatIsRefusedIsAnErrorForWhoeverAsked(t *testing.T) {
	is := is.New(t)
	c := staged(t, fixed(asking(t, interceptor.Validation, interceptor.Response, `"not this answer"`)))
	c.Call(1, "prompts/get", `{}`)
	c.Recv()
	c.Send(`{"jsonrpc":"2.0","id":1,"result":{"answer":"yes"}}`)
	is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"refused by asks: not this answer",`+
		`"data":{"validationErrors":[{"interceptor":"asks","severity":"error","message":"not this answer"}]}}}`)
	is.NoErr(c.Close())
}

func TestNothingPassesWhileTheInterceptorsCannotBeRead(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, interceptor.Stage(interceptor.Receiving, func(context.Context) (*interceptor.Set, error) {
		return nil, errors.New("register.json is broken")
	}), pipetest.OK, pipetest.Call(1, "tools/list", ""), pipetest.Call(2, "ping", ""))
	is.Equal(len(got), 2)
	is.Equal(got[0], `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"register.json is broken"}}`)
	is.Equal(got[1], `{"jsonrpc":"2.0","id":2,"result":{}}`)
}

func TestTheResultOfATaskPassesTheRulesForResultsOfTools(t *testing.T) {
	is := is.New(t)
	hide := rule(t, interceptor.Mutation, "hide", `.content |= map(.text |= sub("key"; "[removed]"))`)
	never := rule(t, interceptor.Validation, "never", `.content[0].text | test("secret") | not`)
	for _, i := range []*interceptor.Interceptor{hide, never} {
		i.Hooks = []interceptor.Hook{{Events: []string{"tools/call"}, Phase: interceptor.Response}}
	}
	for _, tt := range []struct{ method, result, want string }{
		{"tasks/get", `{"taskId":"t","result":{"content":[{"text":"my key"}]}}`, `"result":{"taskId":"t","result":{"content":[{"text":"my [removed]"}]}}`},
		{"tasks/get", `{"taskId":"t","result":{"content":[{"text":"secret"}]}}`, `"error":{"code":-32602,"message":"refused by never`},
		{"tasks/get", `{"taskId":"t","status":"working"}`, `"result":{"taskId":"t","status":"working"}`},
		{"tasks/result", `{"content":[{"text":"secret"}]}`, `"error":{"code":-32602,"message":"refused by never`},
		{"tasks/result", `{"content":[{"text":"my key"}]}`, `"result":{"content":[{"text":"my [removed]"}]}`},
	} {
		got := pipetest.In(t, interceptor.Stage(interceptor.Receiving, fixed(hide, never)),
			func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				return m.Answer(json.RawMessage(tt.result))
			},
			pipetest.Call(1, tt.method, `{"taskId":"t"}`))
		is.True(strings.Contains(got[0], tt.want)) // of the row
	}
	got := pipetest.In(t, interceptor.Stage(interceptor.Receiving, fixed(hide, never)),
		func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			for _, text := range []string{"my key", "secret"} {
				params := map[string]any{"result": map[string]any{"content": []map[string]string{{"text": text}}}}
				_ = pipeline.From(ctx).Notify(ctx, "notifications/tasks", params) // of the second, the refusal
			}
			return m.Answer(struct{}{})
		}, pipetest.Call(1, "tools/list", "{}"))
	is.Equal(len(got), 2)
	is.Equal(got[0], `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"result":{"content":[{"text":"my [removed]"}]}}}`)
}

func TestTheResultOfATaskIsOfTheToolThatOurServerNames(t *testing.T) {
	is := is.New(t)
	say := rule(t, interceptor.Mutation, "say", `.content = [{text: ($context.subject // "nobody")}]`)
	say.Hooks = []interceptor.Hook{{Events: []string{"tools/call"}, Phase: interceptor.Response}}
	for calls, want := range map[interceptor.Direction]string{interceptor.Receiving: "resize", interceptor.Sending: "nobody"} {
		got := pipetest.In(t, interceptor.Stage(calls, fixed(say)),
			func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				return m.Answer(json.RawMessage(`{"_meta":{"mcpbash/name":"resize"},"result":{"content":[]}}`))
			}, pipetest.Call(1, "tasks/get", `{"taskId":"t"}`))
		is.True(strings.Contains(got[0], `"content":[{"text":"`+want+`"}]`))
	}
}

func TestARuleThatIsSavedDuringACallAppliesToItsResult(t *testing.T) {
	is := is.New(t)
	set := &interceptor.Set{}
	late := rule(t, interceptor.Validation, "late", `"not this result"`)
	late.Hooks = []interceptor.Hook{{Events: []string{"tools/list"}, Phase: interceptor.Response}}
	got := pipetest.In(t, interceptor.Stage(interceptor.Receiving, func(context.Context) (*interceptor.Set, error) { return set, nil }),
		func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			set = &interceptor.Set{All: []*interceptor.Interceptor{late}}
			return m.Answer(struct{}{})
		}, pipetest.Call(1, "tools/list", "{}"))
	is.True(strings.Contains(got[0], "refused by late: not this result"))
}

func TestAMessageThatNoInterceptorWantsToSeeKeepsItsBytes(t *testing.T) {
	is := is.New(t)
	var seen string
	pipetest.In(t, interceptor.Stage(interceptor.Receiving, fixed(rule(t, interceptor.Mutation, "m", `.a = 1`))),
		func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			seen = string(m.Line())
			return m.Answer(struct{}{})
		}, `{"id":1, "jsonrpc":"2.0", "method":"tools/list", "params":{"b": 1.0}}`)
	is.Equal(seen, `{"id":1, "jsonrpc":"2.0", "method":"tools/list", "params":{"b": 1.0}}`)
}

func TestAnExpressionThatTakesLongDoesNotHoldUpOthers(t *testing.T) {
	is := is.New(t)
	release := make(chan struct{})
	i := rule(t, interceptor.Validation, "slow", "true")
	i.Answer = func(context.Context, interceptor.Question) (r interceptor.Result, err error) {
		<-release
		return r, errors.New("it is over")
	}
	c := staged(t, fixed(i))
	c.Send(pipetest.Call(1, "tools/call", `{"name":"x"}`))
	c.Send(pipetest.Call(2, "ping", `{}`))
	is.True(strings.Contains(c.Recv(), `"method":"sampling/createMessage"`)) // which the handler of the second does
	c.Send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	close(release)
	is.True(strings.Contains(c.Recv(), "interceptor slow failed: it is over"))
	is.NoErr(c.Close())
}

func TestARefusedCallWithoutASessionSaysWhatItsResultIsAlsoInFrontOfOthers(t *testing.T) {
	is := is.New(t)
	c := pipetest.Start(t, []pipeline.Middleware{interceptor.Stage(interceptor.Sending, fixed(rule(t, interceptor.Validation, "no", `false`)))},
		nil, pipeline.Options{})
	c.Call(1, "tools/call", `{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)
	is.True(strings.Contains(c.Recv(), `"result":{"resultType":"complete","content":[`))
	c.Call(2, "tools/call", `{"name":"x"}`)
	is.True(strings.Contains(c.Recv(), `"result":{"content":[`))
	is.NoErr(c.Close())
}

// TestWhatOthersMayReadDifferentlyIsRefusedInFrontOfTheirServer: a parser may take the first of two members with the same
// name, and Go's takes Arguments for arguments.
func TestWhatOthersMayReadDifferentlyIsRefusedInFrontOfTheirServer(t *testing.T) {
	noRm := rule(t, interceptor.Validation, "careful", `.arguments.command | test("rm") | not`)
	noRm.Hooks = []interceptor.Hook{{Events: []string{"tools/call"}, Phase: "both"}}
	noRm.FailOpen = true
	for _, tt := range []struct{ params, result, want string }{
		{`{"name":"x","arguments":{"command":"rm","command":"ls"}}`, `{}`, "invalid params: duplicate member /arguments/command"},
		{`{"arguments":{"command":"rm"},"name":"x","arguments":{"command":"ls"}}`, `{}`, "invalid params: duplicate member /arguments"},
		{`{"name":"x","arguments":{"command":"ls"},"Arguments":{"command":"rm"}}`, `{}`, `invalid params: two spellings of "arguments"`},
		{`{"name":"x","Arguments":{"command":"rm"}}`, `{}`, `invalid params: two spellings of "arguments"`},
		{`{"name":"x","arguments":{"command":"ls"}}`, `{"content":[],"content":[]}`, "internal error: duplicate member /content"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			is := is.New(t)
			c := pipetest.Start(t, []pipeline.Middleware{interceptor.Stage(interceptor.Sending, fixed(noRm))},
				func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					return m.Answer(json.RawMessage(tt.result))
				}, pipeline.Options{})
			c.Call(1, "tools/call", tt.params)
			is.True(strings.Contains(c.Recv(), strings.ReplaceAll(tt.want, `"`, `\"`))) // refused, whatever the rule says
			is.NoErr(c.Close())
		})
	}
}
