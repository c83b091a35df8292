package project

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// headerKeyword makes an argument a header for clients over HTTP, which refuse a tool whose headers
// are wrong. Over stdio it has no effect.
const headerKeyword = "x-mcp-header"

// fieldName matches the name of a header, a token of RFC 9110.
var fieldName = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// nested and named are the keywords other than properties that contain schemas: one or an array of
// them, or several by name.
var (
	nested = []string{
		"items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems",
		"propertyNames", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
	}
	named = []string{"$defs", "definitions", "patternProperties", "dependentSchemas"}
)

// warnHeaders warns of headers in a schema that clients refuse: with an invalid or duplicate name,
// with a value that is not an integer, a string or a boolean, or at a place that is not reached by
// properties alone (T-31).
func (o object) warnHeaders(m member, schema jsontext.Value) {
	if !bytes.Contains(schema, []byte(headerKeyword)) {
		return
	}
	var root any
	if jsonv2.Unmarshal(schema, &root, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return // reported elsewhere
	}
	seen := make(map[string]bool)
	walkHeaders(root, "", false, true, func(pointer string, name, kind any, reached bool) {
		text, _ := name.(string)
		why := ""
		switch lower := strings.ToLower(text); {
		case !fieldName().MatchString(text):
			why = "must be the name of a header"
		case !reached:
			why = "must be on an argument, or on one inside of it"
		case kind != "integer" && kind != "string" && kind != "boolean":
			why = "must be on an integer, a string or a boolean"
		case seen[lower]:
			why = fmt.Sprintf("names the header %q a second time", text)
		default:
			seen[lower] = true
			return
		}
		o.warn(m, oneLine(pointer+"/"+headerKeyword+" "+why), "clients over HTTP refuse the tool")
	})
}

// walkHeaders visits the headers of a schema in order. property means that the schema describes a
// property, reached that only properties lead to it.
func walkHeaders(v any, pointer string, property, reached bool, visit func(pointer string, name, kind any, reached bool)) {
	if all, ok := v.([]any); ok { // as in allOf
		for i, element := range all {
			walkHeaders(element, fmt.Sprintf("%s/%d", pointer, i), false, false, visit)
		}
		return
	}
	schema, ok := v.(map[string]any)
	if !ok {
		return
	}
	if name, ok := schema[headerKeyword]; ok {
		visit(pointer, name, schema["type"], property && reached)
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		walkHeaders(properties[name], pointer+"/properties/"+name, true, reached, visit)
	}
	for _, keyword := range nested {
		walkHeaders(schema[keyword], pointer+"/"+keyword, false, false, visit)
	}
	for _, keyword := range named {
		schemas, _ := schema[keyword].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			walkHeaders(schemas[name], pointer+"/"+keyword+"/"+name, false, false, visit)
		}
	}
}
