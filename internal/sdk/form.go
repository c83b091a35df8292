package sdk

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// parseForm reads the requestedSchema of an elicitation as clients take it, with its type.
func parseForm(schema jsontext.Value) (form.Form, error) {
	o, _ := parseObject(schema)
	if kind, _ := o.text("type"); kind != "object" {
		return form.Form{}, form.ErrSchema
	}
	return form.Parse(schema)
}
