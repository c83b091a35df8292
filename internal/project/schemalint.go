package project

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// schemaTypes are the types of JSON Schema.
var schemaTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// otherTypes are the names of the types in other languages.
var otherTypes = map[string]string{
	"float": "number", "double": "number", "decimal": "number", "long": "integer", "text": "string", "char": "string",
	"list": "array", "tuple": "array", "dict": "object", "map": "object", "struct": "object", "none": "null", "nil": "null",
}

// subschemaKeywords are the keywords of a schema that contain other schemas: one, an array or, with
// '{', several by name. Those that are parts describe about the same value as the schema itself.
var subschemaKeywords = map[string]struct {
	form jsontext.Kind // '{', or 0 for one or an array
	part bool
}{
	"properties": {form: '{'}, "patternProperties": {form: '{'}, "$defs": {form: '{'}, "definitions": {form: '{'}, "dependentSchemas": {form: '{', part: true},
	"items": {}, "prefixItems": {}, "contains": {}, "additionalProperties": {}, "unevaluatedProperties": {}, "unevaluatedItems": {}, "propertyNames": {},
	"allOf": {part: true}, "anyOf": {part: true}, "oneOf": {part: true}, "not": {part: true}, "if": {part: true}, "then": {part: true}, "else": {part: true},
}

// A subschema is a schema within another.
type subschema struct {
	in object // the object whose member it is
	member
	part bool
}

// subschemas returns the schemas that are directly within a schema, each with its keyword.
func (o object) subschemas() iter.Seq2[string, subschema] {
	return func(yield func(string, subschema) bool) {
		for _, m := range o.members {
			keyword, known := subschemaKeywords[m.name]
			in, inside := o, []member{m}
			switch kind := m.value.Kind(); {
			case !known || keyword.form == '{' && kind != '{':
				continue
			case keyword.form == '{':
				in = o.inner(m)
				inside = in.members
			case kind == '[':
				inside = o.elements(m)
			}
			for _, each := range inside {
				if !yield(m.name, subschema{in, each, keyword.part}) {
					return
				}
			}
		}
	}
}

// describedElsewhere are keywords by which a schema may describe properties elsewhere than in
// properties.
var describedElsewhere = []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies", "patternProperties"}

// lint lints the schema m.
func (o object) lint(m member) {
	if !isPlainSchema(m.value) {
		o.lintSchema(m, true)
	}
}

// lintSchema refuses invalid types in the schema m and in those within it, and warns of required
// properties that are not described, which is usually a mistake. Its hints are better than those of
// the metaschema. whole is false for a part of a schema, whose properties may be described
// elsewhere.
func (o object) lintSchema(m member, whole bool) {
	if m.value.Kind() != '{' {
		return
	}
	s := o.inner(m)
	s.lintType()
	if whole {
		s.lintRequired()
	}
	for _, each := range s.subschemas() {
		each.in.lintSchema(each.member, !each.part)
	}
}

// lintType refuses the words of type that are not types.
func (o object) lintType() {
	m, ok := o.get("type")
	if !ok {
		return
	}
	words := []member{m}
	if m.value.Kind() == '[' {
		words = o.elements(m)
	}
	for _, w := range words {
		if w.value.Kind() != '"' {
			continue // the metaschema refuses it
		}
		word := unquote(w.value)
		if slices.Contains(schemaTypes, word) {
			continue
		}
		meant := otherTypes[strings.ToLower(word)]
		if meant == "" {
			meant = suggest.Of(word, schemaTypes)
		}
		if begun := suggest.Begun(word, schemaTypes); meant == "" && len(begun) == 1 {
			meant = begun[0]
		}
		hint := "use one of " + strings.Join(schemaTypes, ", ")
		if meant != "" {
			hint = suggest.Question(meant)
		}
		o.refuse(w, strconv.Quote(word)+" is not a type", hint)
	}
}

// lintRequired warns of required properties that are not described, where nothing else could
// describe them.
func (o object) lintRequired() {
	required, ok := o.get("required")
	if !ok || required.value.Kind() != '[' {
		return
	}
	properties, ok := o.get("properties")
	if !ok || properties.value.Kind() != '{' {
		return // its properties are not listed
	}
	var names []string
	for _, m := range o.inner(properties).members {
		names = append(names, m.name)
	}
	for _, m := range o.members {
		if slices.Contains(describedElsewhere, m.name) || (m.name == "additionalProperties" || m.name == "unevaluatedProperties") && m.value.Kind() == '{' {
			return
		}
	}
	for _, m := range o.elements(required) {
		if m.value.Kind() != '"' || slices.Contains(names, unquote(m.value)) {
			continue
		}
		name := unquote(m.value)
		hint := "describe it in properties, or remove it from required"
		if meant := suggest.Of(name, names); meant != "" {
			hint = suggest.Question(meant)
		}
		o.warn(m, fmt.Sprintf("%q is required, but it is not one of the properties", name), hint)
	}
}
