package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// adapt makes compiled schemas, and all that they lead to, follow our rules:
// format is an annotation in every dialect, and propertyNames is a nameRule.
func adapt(schemas []*jsonschema.Schema) {
	seen := map[*jsonschema.Schema]bool{}
	queue := slices.Clone(schemas)
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if seen[s] {
			continue
		}
		seen[s] = true
		queue = append(queue, sameValue(s)...)
		queue = append(queue, partsOf(s)...)

		s.Format = nil
		if s.PropertyNames != nil {
			s.Extensions = append(s.Extensions, nameRule{s.PropertyNames})
			s.PropertyNames = nil
		}
	}
}

// nameRule is propertyNames. The library reports these faults at places that it
// overwrites later on, so that they point into the wrong value.
type nameRule struct{ schema *jsonschema.Schema }

// Validate implements jsonschema.SchemaExt.
func (r nameRule) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	for name := range object {
		if err, ok := ctx.Validate(r.schema, name, []string{name}).(*jsonschema.ValidationError); ok {
			ctx.AddErrors([]*jsonschema.ValidationError{err}, &kind.PropertyNames{Property: name})
		}
	}
}
