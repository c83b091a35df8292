package sdk

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// parseForm parses the requestedSchema of an elicitation, and adds the type that clients expect.
func parseForm(schema jsontext.Value) (form.Form, error) {
	o, _ := parseObject(schema)
	if kind, _ := o.text("type"); kind != "object" {
		return form.Form{}, form.ErrSchema
	}
	return form.Parse(schema)
}
