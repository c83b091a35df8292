package sdk

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// parseForm parses the requestedSchema of an elicitation, and adds the type that clients expect.
func parseForm(schema json.Value) (form.Form, error) {
	o, _ := parseObject(schema)
	if kind := o.text("type"); kind != "object" {
		return form.Form{}, form.ErrSchema
	}
	return form.Parse(schema)
}
