package schema_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// lint returns the printed remarks on the schema of arguments.
func lint(text string) (remarks []string) {
	for _, r := range schema.Lint([]byte(text), true) {
		remarks = append(remarks, r.Pointer+": "+r.Reason+"; "+r.Hint)
	}
	return remarks
}

func TestASlipInASchemaIsNamed(t *testing.T) {
	const a = `{"properties": {"a": {"type": "string"}}, "required": [%], "type": "object"}`
	for text, want := range map[string]string{
		strings.ReplaceAll(a, "%", `"a"`): "",
		strings.ReplaceAll(a, "%",
			`"a", "b"`): `/required/1: "b" is required, but it is not one of the properties; describe it in properties, or remove it from required`,
		strings.ReplaceAll(a, "%",
			`"A"`): `/required/0: "A" is required, but it is not one of the properties; did you mean a?`,

		`{"type": "object", "properties": {"a": {"type": "string", "minLenght": 1}}}`:     `/properties/a/minLenght: is not a keyword of JSON Schema, so it checks nothing; did you mean minLength?`,
		`{"type": "object", "properties": {"minLenght": {"type": "string", "x-own": 1}}}`: "",

		// that is a value
		`{"type": "object", "properties": {"type": {"const": {"type": "any"}}}}`: "",
		// its properties are left open
		`{"type": "object", "properties": {"a": {"required": ["b"]}}}`:                                                         "",
		`{"type": "object", "properties": {"a": {"anyOf": [{"required": ["a"]}]}}}`:                                            "",
		`{"type": "object", "properties": {}, "required": ["a"], "$ref": "#/$defs/a", "$defs": {"a": {}}}`:                     "",
		`{"type": "object", "properties": {}, "required": ["a"], "additionalProperties": {"type": "string"}}`:                  "",
		`{"type": "object", "properties": {"a": {"properties": {"b": {}}, "required": ["c"]}}, "additionalProperties": false}`: `/properties/a/required/0: "c" is required, but it is not one of the properties; describe it in properties, or remove it from required`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			is.Equal(strings.Join(lint(text), "\n"), want)
		})
	}
}

func TestWhatProvidersOfModelsRefuseIsNamed(t *testing.T) {
	long := strings.Repeat("k", 65)
	for text, want := range map[string]string{
		`{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}`: `/anyOf: is at the root, `,
		`{"type":"object","properties":{},"oneOf":[{}]}`:                 `/oneOf: is at the root, `,
		`{"type":"object","properties":{},"allOf":[{}]}`:                 `/allOf: is at the root, `,

		`{"type":"object","properties":{"filter[name]":{}}}`: `/properties/filter[name]: some clients refuse arguments with such a name; `,
		`{"type":"object","properties":{"a":{"properties":{"` + long +
			`":{}}}}}`: `/properties/a/properties/` + long +
			`: some clients refuse`,
		`{"type":"object","properties":{"a":{"type":"array"}}}`:                                                                  `/properties/a/type: is array without items, `,
		`{"type":"object","properties":{"a":{"nullable":true}}}`:                                                                 `/properties/a/nullable: is not a keyword of JSON Schema, `,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"array","items":[{}]}}}`: `/properties/a/items: is an array, a tuple of draft 7, `,

		`{"type":"object","properties":{"a.b-c_D":{"type":"array","items":{"anyOf":[{"type":"string"}]}},"b":{"type":"array","prefixItems":[{}]}}}`: "",
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			all := strings.Join(lint(text), "\n")
			is.True(strings.HasPrefix(all, want))
			is.True(want != "" || all == "")
			is.Equal(strings.Count(all, "\n"), 0) // each once
		})
	}
}
