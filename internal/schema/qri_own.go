package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/qri-io/jsonpointer"
	"github.com/qri-io/jsonschema"
)

// unmarshal hands a keyword its value. Some keep the bytes, so they get their own.
func unmarshal(text []byte, into any) error {
	return json.Unmarshal(bytes.Clone(text), into)
}

// A leaf is a keyword that no $ref of the subset leads into.
type leaf struct{}

func (leaf) Register(string, *jsonschema.SchemaRegistry)            {}
func (leaf) Resolve(jsonpointer.Pointer, string) *jsonschema.Schema { return nil }

// types is the keyword type. The library's takes strings such as "true" and "1" for
// booleans and numbers, and does not know integers past 2^63.
type types struct {
	leaf
	allowed []string
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *types) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return unmarshal(text, &t.allowed)
	}
	t.allowed = make([]string, 1)
	return unmarshal(text, &t.allowed[0])
}

// ValidateKeyword implements jsonschema.Keyword.
func (t *types) ValidateKeyword(_ context.Context, st *jsonschema.ValidationState, v any) {
	if !slices.ContainsFunc(t.allowed, func(name string) bool { return isType(v, name) }) {
		settle(st)
		report(st, finding{keyword: "type", want: t.allowed})
	}
}

func isType(v any, name string) (ok bool) {
	switch name {
	case "null":
		return v == nil
	case "boolean":
		_, ok = v.(bool)
	case "string":
		_, ok = v.(string)
	case "number":
		_, ok = v.(float64)
	case "integer":
		f, isNumber := v.(float64)
		return isNumber && f == math.Trunc(f)
	case "array":
		_, ok = v.([]any)
	case "object":
		_, ok = v.(map[string]any)
	}
	return ok
}

// additional is additionalProperties. The library takes a property for declared
// when any value deeper down has declared one of that name.
type additional struct {
	leaf
	schema *jsonschema.Schema // nil for false
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *additional) UnmarshalJSON(text []byte) error {
	if string(text) == "false" {
		return nil
	}
	a.schema = &jsonschema.Schema{}
	return unmarshal(text, a.schema)
}

// ValidateKeyword implements jsonschema.Keyword.
func (a *additional) ValidateKeyword(ctx context.Context, st *jsonschema.ValidationState, v any) {
	object, ok := v.(map[string]any)
	if !ok || !enter(st) {
		return
	}
	declared := declaredProperties(st.Local)
	var allowed []string
	for name, member := range object {
		if _, ok := declared[name]; ok {
			continue
		}
		if a.schema == nil {
			if allowed == nil {
				allowed = allowedProperties(slices.Sorted(maps.Keys(declared)), nil)
			}
			report(st, finding{keyword: "additionalProperties", want: allowed}, name)
			continue
		}
		sub := st.NewSubState()
		sub.ClearState()
		sub.DescendInstanceFromState(st, name)
		a.schema.ValidateKeyword(ctx, sub, member)
	}
}

func declaredProperties(s *jsonschema.Schema) jsonschema.Properties {
	if keyword, ok := s.JSONProp("properties").(*relay); ok {
		if properties, ok := keyword.Keyword.(*jsonschema.Properties); ok {
			return *properties
		}
	}
	return nil
}

// choice is anyOf and oneOf. The library's forget why the alternatives did not fit.
type choice struct {
	leaf
	name         string
	alternatives []*jsonschema.Schema
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *choice) UnmarshalJSON(text []byte) error { return unmarshal(text, &c.alternatives) }

// ValidateKeyword implements jsonschema.Keyword.
func (c *choice) ValidateKeyword(ctx context.Context, st *jsonschema.ValidationState, v any) {
	if !enter(st) {
		return
	}
	var fitting []int
	var branches [][]finding
	for i, alternative := range c.alternatives {
		sub := st.NewSubState()
		sub.ClearState()
		sub.Errs = &[]jsonschema.KeyError{}
		alternative.ValidateKeyword(ctx, sub, v)
		if !sub.IsValid() {
			if len(branches) < shownBranches {
				branches = append(branches, findings(*sub.Errs))
			}
			continue
		}
		if c.name == "anyOf" {
			return
		}
		if fitting = append(fitting, i); len(fitting) == 2 {
			report(st, finding{keyword: c.name, want: fitting})
			return
		}
	}
	if len(fitting) == 0 {
		report(st, finding{keyword: c.name, branches: branches, total: len(c.alternatives)})
	}
}
