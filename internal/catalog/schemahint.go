package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
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
