package round

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// Answers reports whether a result is a valid answer of a client to a question: for its method, and
// for a form one that matches it (EL-07). The script judges its contents.
func Answers(q sdk.Question, result json.RawMessage) bool {
	var r struct {
		Action  string     `json:"action"`
		Content json.Value `json:"content"`
		Roots   json.Value `json:"roots"`
	}
	if json.Unmarshal(result, &r, json.Lenient) != nil {
		return false
	}
	switch q.Method {
	case "elicitation/create":
		return (r.Action == "accept" || r.Action == "decline" || r.Action == "cancel") && q.Check(result) == nil // EL-06
	case "sampling/createMessage":
		return r.Content.Kind() == '{' || r.Content.Kind() == '[' // SA-05
	case "roots/list":
		return r.Roots.Kind() == '['
	}
	return false
}
