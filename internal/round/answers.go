package round

import (
	"encoding/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// Answers reports whether a result is a valid answer of a client to a question: for its method, and
// for a form one that matches it (EL-07). The script judges its contents.
func Answers(q sdk.Question, result json.RawMessage) bool {
	var r struct {
		Action  string         `json:"action"`
		Content jsontext.Value `json:"content"`
		Roots   jsontext.Value `json:"roots"`
	}
	if jsonv2.Unmarshal(result, &r, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
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
