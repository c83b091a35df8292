package round_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

const (
	yes = `{"action":"accept","content":{"ok":true}}`
	no  = `{"action":"decline"}`
)

// form returns a question to the user.
func form(key, message string) sdk.Question {
	return sdk.Question{Key: key, Method: "elicitation/create", Params: json.RawMessage(
		`{"message":"` + message + `","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}}}}`)}
}

// able is a client that supports some methods.
type able []string

func (a able) Question(q sdk.Question) (json.RawMessage, error) {
	if !a.Supports(q.Method) {
		return nil, sdk.ErrUnsupported
	}
	return q.Params, nil
}

func (a able) Supports(capability string) bool {
	return slices.Contains(a, capability)
}

var elicits = able{"elicitation/create"}

// by returns a request of a client.
func by(c round.Client) round.Request {
	return round.Request{Context: context.Background(), Client: c}
}

// responses returns answers of a client: key, answer, key, answer.
func responses(pairs ...string) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return all
}

// asking returns a run that asks one question after another and returns the answers.
func asking(questions ...sdk.Question) func(context.Context, *round.Conversation) (any, error) {
	return func(ctx context.Context, c *round.Conversation) (any, error) {
		said := ""
		for _, q := range questions {
			answer := c.Ask(ctx, q)[0]
			if answer.Err != nil {
				return said, answer.Err
			}
			said += string(answer.Result)
		}
		return said, nil
	}
}

// keys returns the keys of the open questions.
func keys(c *round.Conversation) (all []string) {
	for _, q := range c.Open() {
		all = append(all, q.Key)
	}
	return all
}

// result returns the result of a run that has ended.
func result(t *testing.T, c *round.Conversation) string {
	t.Helper()
	if !c.Wait(t.Context()) {
		t.Fatalf("the run asks %v", keys(c))
	}
	v, err := c.Result()
	if err != nil {
		return "error: " + err.Error()
	}
	return v.(string)
}
