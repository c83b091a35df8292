package schema

import (
	"maps"
	"slices"
	"strconv"
	"sync"
)

// holder is the way in which a keyword contains schemas.
type holder int

const (
	itself  holder = iota + 1 // the value is a schema, or a list of schemas
	byNames                   // each member of the value is a schema, or else a list of names
)

// holders are the keywords, of all dialects, that contain schemas. The values of other
// keywords are data, even if they look like a schema.
var holders = map[string]holder{
	"$defs": byNames, "definitions": byNames,
	"properties": byNames, "patternProperties": byNames,
	"dependentSchemas": byNames, "dependencies": byNames,

	"allOf": itself, "anyOf": itself, "oneOf": itself, "not": itself,
	"if": itself, "then": itself, "else": itself,
	"items": itself, "prefixItems": itself, "additionalItems": itself,
	"contains": itself, "unevaluatedItems": itself,
	"additionalProperties": itself, "propertyNames": itself,
	"unevaluatedProperties": itself, "contentSchema": itself,
}

// keywordAt returns the keyword that a place in a schema belongs to, "" for the place of a schema that is
// nobody's only value. contentSchema, which describes, is one keyword with all that is in it.
func keywordAt(at []string) string {
	for len(at) > 0 {
		keyword, held := at[0], holders[at[0]]
		if at = at[1:]; held == 0 || len(at) == 0 || keyword == "contentSchema" {
			return keyword
		}
		if _, err := strconv.Atoi(at[0]); held == byNames || err == nil {
			at = at[1:]
		}
	}
	return ""
}

// describing are the keywords that describe values and restrict none; format is one in MCP.
var describing = []string{
	"title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly",
	"format", "contentEncoding", "contentMediaType", "contentSchema",
}

// Describes reports whether a keyword describes values and restricts none.
func Describes(keyword string) bool { return slices.Contains(describing, keyword) }

// Keywords returns the keywords of all dialects, and two of OpenAPI.
var Keywords = sync.OnceValue(func() []string {
	return slices.Concat(slices.Sorted(maps.Keys(holders)), describing, []string{
		"$schema", "$id", "$ref", "$dynamicRef", "$vocabulary", "$anchor", "$dynamicAnchor", "$recursiveRef",
		"$recursiveAnchor", "id", "type", "enum", "const", "nullable", "example", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minContains", "maxContains", "minItems",
		"maxItems", "uniqueItems", "required", "minProperties", "maxProperties", "dependentRequired",
	})
})
