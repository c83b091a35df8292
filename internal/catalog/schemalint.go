package catalog

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// schemaTypes are the types of JSON Schema.
var schemaTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// otherTypes are the names of the types in other languages.
var otherTypes = map[string]string{
	"float": "number", "double": "number", "decimal": "number", "long": "integer", "text": "string", "char": "string",
	"list": "array", "tuple": "array", "dict": "object", "map": "object", "struct": "object", "none": "null",
	"nil": "null",
}

// subschemaKeywords are the keywords of a schema that contain other schemas: one, an array or, with
// '{', several by name. Those that are parts describe about the same value as the schema itself.
var subschemaKeywords = map[string]struct {
	form json.Kind // '{', or 0 for one or an array
	part bool
}{
	"properties": {form: '{'}, "patternProperties": {form: '{'}, "$defs": {form: '{'}, "definitions": {form: '{'},
	"dependentSchemas": {form: '{', part: true},
	"items":            {}, "prefixItems": {}, "contains": {}, "additionalProperties": {}, "unevaluatedProperties": {},
	"unevaluatedItems": {}, "propertyNames": {},
	"allOf": {part: true}, "anyOf": {part: true}, "oneOf": {part: true}, "not": {part: true}, "if": {part: true},
	"then": {part: true}, "else": {part: true},
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
var describedElsewhere = []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else",
	"dependentSchemas", "dependencies", "patternProperties"}

// lintSchema warns of what is valid in the schema m, and in those within it, and probably not meant like
// that: words that are not keywords, and required properties that are not described. whole is false for a
// part of a schema, whose properties may be described elsewhere.
func (o object) lintSchema(m member, whole bool) {
	if !o.lints || m.value.Kind() != '{' {
		return
	}
	s := o.inner(m)
	s.lintKeywords()
	if whole {
		s.lintRequired()
	}
	for _, each := range s.subschemas() {
		each.in.lintSchema(each.member, !each.part)
	}
}

// lintKeywords warns of members that are almost a keyword.
func (o object) lintKeywords() {
	for _, m := range o.members {
		if slices.Contains(schemaKeywords, m.name) {
			continue
		}
		if meant := suggest.Of(m.name, schemaKeywords); meant != "" {
			o.warn(m, "is not a keyword of JSON Schema, so it checks nothing", suggest.Question(meant))
		}
	}
}

// schemaKeywords are the keywords of all dialects.
var schemaKeywords = slices.Concat(rootKeywords, describing, []string{
	"$anchor", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "id", "type", "enum", "const", "nullable", "example",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
	"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains",
	"minItems", "maxItems", "uniqueItems", "required", "minProperties", "maxProperties",
})

// notAType returns the word that stands for a type and is none.
func notAType(keyword string, value json.Value) (string, bool) {
	if keyword != "type" || value.Kind() != '"' {
		return "", false
	}
	return json.Text(value), !slices.Contains(schemaTypes, json.Text(value))
}

// meantType returns the hint for a word that is not a type.
func meantType(word string) string {
	meant := otherTypes[strings.ToLower(word)]
	if meant == "" {
		meant = suggest.Of(word, schemaTypes)
	}
	if begun := suggest.Begun(word, schemaTypes); meant == "" && len(begun) == 1 {
		meant = begun[0]
	}
	if meant != "" {
		return suggest.Question(meant)
	}
	return "use one of " + strings.Join(schemaTypes, ", ")
}

// schemaHint returns what to do about a faulty value of a keyword, or about a faulty schema.
func schemaHint(keyword string, value json.Value) string {
	switch got := kindOf(value); keyword {
	case "":
		switch {
		case got == '{': // the name of a member of patternProperties
			return patternHint
		case got == '"' && slices.Contains(schemaTypes, json.Text(value)):
			return fmt.Sprintf(`write {"type":%s}`, value)
		}
		return `write a schema, as in {"type":"string"}`
	case "pattern":
		return patternHint
	case "$ref", "$dynamicRef", "$recursiveRef":
		return "describe it in $defs, and refer to it as #/$defs/NAME"
	case "enum":
		return `write an array of the values that are allowed, as in ["a","b"]`
	case "required":
		return `write an array of names beside "properties", as in "required":["city"]`
	case "items":
		if got == '[' {
			return `write "prefixItems", or name the draft: "$schema":"http://json-schema.org/draft-07/schema#"`
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if got == 't' {
			return "write the bound itself, instead of " + strings.ToLower(keyword[len("exclusive"):])
		}
	case "$schema":
		return "remove it, or name a supported draft"
	}
	if hint := typeHint('0', value); hint != "" && isNumeric(keyword) {
		return hint
	}
	return "correct it, or remove it"
}

const patternHint = "write it in the syntax of JavaScript, or remove it"

// isNumeric reports whether a keyword is a number.
func isNumeric(keyword string) bool {
	return keyword == "multipleOf" || slices.ContainsFunc([]string{"min", "max", "exclusive"}, func(start string) bool {
		return strings.HasPrefix(keyword, start)
	})
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
		others := m.name == "additionalProperties" || m.name == "unevaluatedProperties"
		if slices.Contains(describedElsewhere, m.name) || others && m.value.Kind() == '{' {
			return
		}
	}
	for _, m := range o.elements(required) {
		if m.value.Kind() != '"' || slices.Contains(names, json.Text(m.value)) {
			continue
		}
		name := json.Text(m.value)
		hint := "describe it in properties, or remove it from required"
		if meant := suggest.Of(name, names); meant != "" {
			hint = suggest.Question(meant)
		}
		o.warn(m, fmt.Sprintf("%q is required, but it is not one of the properties", name), hint)
	}
}

// lintArguments warns also of what providers of models refuse in the schema m of arguments, some of them
// with all other tools of the session.
func (o object) lintArguments(m member) {
	if !o.lints || hasErrors(o.faults) {
		return // first things first
	}
	o.lintSchema(m, true)
	root := o.inner(m)
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if at, ok := root.get(keyword); ok {
			root.warn(at, "is at the root, and some clients refuse the tool, or all tools, for that",
				"describe all arguments in properties, and check combinations in the script")
		}
	}
	o.lintPortable(m)
}

// portableName matches the names of arguments that all providers of models take.
var portableName = lazyregexp.New(`^[A-Za-z0-9_.-]{1,64}$`)

// lintPortable warns of what some clients refuse at any depth.
func (o object) lintPortable(m member) {
	if m.value.Kind() != '{' {
		return
	}
	s := o.inner(m)
	if at, ok := s.get("nullable"); ok {
		s.warn(at, "is not a keyword of JSON Schema, so null is not allowed here; some clients refuse it",
			`write "type":["string","null"], or leave the argument out of required`)
	}
	items, hasItems := s.get("items")
	_, prefixed := s.get("prefixItems")
	switch kind, _ := s.get("type"); {
	case hasItems && items.value.Kind() == '[':
		s.warn(items, "is an array, a tuple of draft 7, which some clients refuse",
			"describe all items by one schema, or use an object")
	case string(kind.value) == `"array"` && !hasItems && !prefixed:
		s.warn(kind, "is array without items, which some clients refuse", `write "items", as in "items":{"type":"string"}`)
	}
	if properties, ok := s.get("properties"); ok && properties.value.Kind() == '{' {
		named := s.inner(properties)
		for _, p := range named.members {
			if !portableName.Get().MatchString(p.name) {
				named.warn(p, "some clients refuse arguments with such a name", "use 1 to 64 of A-Z a-z 0-9 _ . -")
			}
		}
	}
	for _, each := range s.subschemas() {
		each.in.lintPortable(each.member)
	}
}
