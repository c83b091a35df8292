package interceptor_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestQuestionsAndAnswersOfCallsWithoutASessionPassAsThoseOfASession(t *testing.T) {
	on := func(kind, event, phase, jq string) *interceptor.Interceptor {
		i := rule(t, kind, "asks", jq)
		i.Hooks = []interceptor.Hook{{Events: []string{event}, Phase: phase}}
		return i
	}
	const (
		asks = `{"resultType":"input_required","inputRequests":{` +
			`"a":{"method":"elicitation/create","params":{"message":"Your key?"}},"b":{"method":"roots/list"}}}`
		answers = `{"name":"x","inputResponses":{"a":{"action":"accept","content":{"v":"key"}},"b":{"roots":[]},` +
			`"c":{"role":"assistant","content":{"text":"key"}}}}`
		refused = "refused by asks: no"
	)
	for name, c := range map[string]struct {
		rule                 *interceptor.Interceptor
		params, result, want string
	}{
		"a question is refused": {on(interceptor.Validation, "elicitation/create", interceptor.Request, `"no"`), `{"name":"x"}`, asks, refused},
		"a question is changed": {on(interceptor.Mutation, "elicitation/create", interceptor.Request, `.message |= sub("key"; "name")`),
			`{"name":"x"}`, asks, `"a":{"method":"elicitation/create","params":{"message":"Your name?"}},"b":{"method":"roots/list"}`},
		"another question":     {on(interceptor.Validation, "sampling/*", interceptor.Request, `"no"`), `{"name":"x"}`, asks, `"Your key?"`},
		"an answer is refused": {on(interceptor.Validation, "roots/list", interceptor.Response, `"no"`), answers, `{}`, refused},
		"an answer is changed": {on(interceptor.Mutation, "elicitation/create", interceptor.Response, `.content.v = "none"`), answers, `{}`,
			`"a":{"action":"accept","content":{"v":"none"}},"b":{"roots":[]},"c":{"role":"assistant","content":{"text":"key"}}`},
		"an answer of a model": {on(interceptor.Validation, "sampling/*", interceptor.Response, `"no"`), answers, `{}`, refused},
		"an answer of two shapes": {on(interceptor.Validation, "elicitation/create", interceptor.Response, `"no"`),
			`{"inputResponses":{"a":{"action":"accept","roots":[]}}}`, `{}`, refused},
		"answers of no kind": {on(interceptor.Validation, "sampling/*", interceptor.Response, `"no"`), `{"inputResponses":[]}`, `{}`, "inputResponses"},
	} {
		t.Run(name, func(t *testing.T) {
			var seen string
			got := pipetest.In(t, interceptor.Stage(interceptor.Receiving, fixed(c.rule)),
				func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					seen = string(m.Params())
					return m.Answer(json.RawMessage(c.result))
				}, pipetest.Call(1, "tools/call", c.params))
			is.New(t).True(strings.Contains(got[0]+seen, c.want))
		})
	}
}

func TestTheQuestionsOfATaskPassInWhatIsToldOfItToo(t *testing.T) {
	is := is.New(t)
	never := rule(t, interceptor.Validation, "asks", `"no"`)
	never.Hooks = []interceptor.Hook{{Events: []string{"elicitation/create"}, Phase: interceptor.Request}}
	got := pipetest.In(t, interceptor.Stage(interceptor.Receiving, fixed(never)),
		func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			_ = pipeline.From(ctx).Notify(ctx, "notifications/tasks", json.RawMessage( // the refusal
				`{"taskId":"t","inputRequests":{"a":{"method":"elicitation/create","params":{}}}}`))
			return m.Answer(struct{}{})
		}, pipetest.Call(1, "tools/list", "{}"))
	is.Equal(got, []string{`{"jsonrpc":"2.0","id":1,"result":{}}`})
}

// The client of a server that somebody else wrote may read the other of two members.
func TestWhatAServerOfOthersSaysTwiceDoesNotPass(t *testing.T) {
	never := rule(t, interceptor.Validation, "never", `true`)
	never.Hooks = []interceptor.Hook{{Events: []string{"*"}, Phase: interceptor.Both}}
	for _, c := range []struct{ method, result string }{
		{"tools/call", `{"inputRequests":{"a":{"method":"elicitation/create","params":{}}},"InputRequests":{}}`},
		{"tools/call", `{"inputRequests":{"a":{"method":"elicitation/create","Method":"roots/list"}}}`},
		{"tasks/get", `{"result":{"content":[]},"Result":{}}`},
	} {
		got := pipetest.In(t, interceptor.Stage(interceptor.Sending, fixed(never)),
			func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				return m.Answer(json.RawMessage(c.result))
			}, pipetest.Call(1, c.method, `{"name":"x"}`))
		is.New(t).True(strings.Contains(got[0], "two spellings")) // of the row
	}
}
