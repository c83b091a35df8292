package round_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

const (
	yes = `{"action":"accept","content":{"ok":true}}`
	no  = `{"action":"decline"}`
)

// form is a question to the user.
func form(key, message string) sdk.Question {
	return sdk.Question{Key: key, Method: "elicitation/create", Params: json.RawMessage(
		`{"message":"` + message + `","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}}}}`)}
}

// able is a client that can be asked with some methods.
type able []string

func (a able) Question(q sdk.Question) (json.RawMessage, error) {
	if !a.Supports(q.Method) {
		return nil, sdk.ErrUnsupported
	}
	return q.Params, nil
}

func (a able) Supports(capability string) bool {
	for _, c := range a {
		if c == capability {
			return true
		}
	}
	return false
}

var elicits = able{"elicitation/create"}

// by is a request of a client.
func by(c round.Client) round.Request {
	return round.Request{Context: context.Background(), Client: c}
}

// responses are answers of a client, by key: key, answer, key, answer.
func responses(pairs ...string) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return all
}

// asking is a run that asks one question after another and returns the answers.
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

// keys are those of the open questions.
func keys(c *round.Conversation) (all []string) {
	for _, q := range c.Open() {
		all = append(all, q.Key)
	}
	return all
}

// result is what a run that has ended returned.
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
