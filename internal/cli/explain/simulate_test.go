package explain_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
)

// ruled returns an interceptor of all tools and questions to the client, as a jq expression.
func ruled(t *testing.T, kind, jq string) *interceptor.Interceptor {
	t.Helper()
	answer, err := interceptor.Expression(kind, jq)
	is.New(t).NoErr(err)
	events := []string{"tools/call", "elicitation/create"}
	return &interceptor.Interceptor{Answer: answer, Definition: interceptor.Definition{Name: kind, Type: kind,
		Hooks: []interceptor.Hook{{Events: events, Phase: interceptor.Request}, {Events: events, Phase: interceptor.Response}}}}
}

// outcomes returns what would happen to each message: its number and outcome.
func outcomes(t *testing.T, recording string, all ...*interceptor.Interceptor) string {
	t.Helper()
	is := is.New(t)
	s, err := read(t, recording, "").Simulate(t.Context(), all)
	is.NoErr(err)
	found := map[int]string{}
	for _, f := range s.Found {
		found[f.Number] = f.Outcome
	}
	text, err := json.Marshal(found)
	is.NoErr(err)
	return string(text)
}

func TestAServersRecordingIsValidatedThenChangedAndThatOfWrapTheOtherWayRound(t *testing.T) {
	is := is.New(t)
	change := ruled(t, interceptor.Mutation, `.seen = true`)
	check := ruled(t, interceptor.Validation, `.seen | not`)
	of := func(project string) string {
		return `{"time":"2026-01-02T12:00:00Z","way":"start","message":{"version":"2.0.0"` + project + `}}
{"time":"2026-01-02T12:00:00Z","way":"in","line":1,"message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}}
{"time":"2026-01-02T12:00:00Z","way":"out","line":1,"message":{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}}
{"time":"2026-01-02T12:00:00Z","way":"in","line":2,"message":{"jsonrpc":"2.0","id":7,"result":{}}}
{"time":"2026-01-02T12:00:00Z","way":"out","line":1,"message":{"jsonrpc":"2.0","id":1,"result":{}}}
`
	}
	is.Equal(outcomes(t, of(`,"project":"/srv"`), change, check), `{"1":"changed","2":"refused","4":"refused"}`)
	is.Equal(outcomes(t, of(""), change, check), `{"1":"refused","2":"changed","3":"refused"}`)
}

func TestErrorsAndWhatIsNeverRefusedAreLeftOut(t *testing.T) {
	is := is.New(t)
	refuses := ruled(t, interceptor.Validation, `"no"`)
	refuses.Hooks = []interceptor.Hook{{Events: []string{"*"}, Phase: interceptor.Response}}
	is.Equal(outcomes(t, recorded, refuses), `{"4":"refused","8":"refused","9":"refused"}`)
}

func TestASimulationEndsWithItsContext(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := read(t, recorded, "").Simulate(ctx, []*interceptor.Interceptor{ruled(t, interceptor.Validation, "true")})
	is.True(err != nil && strings.Contains(err.Error(), "canceled"))
}
