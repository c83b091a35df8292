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
		"answers of no kind":   {on(interceptor.Validation, "sampling/*", interceptor.Response, `"no"`), `{"inputResponses":[]}`, `{}`, "inputResponses"},
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
