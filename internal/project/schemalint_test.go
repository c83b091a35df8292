package project

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// lint returns the printed faults of a tool's inputSchema, without the file.
func lint(t *testing.T, schema string) (faults []string, shown string) {
	t.Helper()
	doc := jsonDocument("x", []byte(schema))
	o, fault := (&document{file: "x", json: []byte(`{"inputSchema": ` + schema + "}"), line: doc.line}).object()
	if fault != nil {
		t.Fatal(fault)
	}
	o.tolerant = true
	shown = string(o.inputSchema(nil))
	for _, f := range append(o.faults, o.refusals...) {
		faults = append(faults, f.Field+": "+f.Reason+"; "+f.Hint)
	}
	return faults, shown
}

func TestASlipInASchemaIsNamed(t *testing.T) {
	const a = `{"properties": {"a": {"type": "string"}}, "required": [%], "type": "object"}`
	for schema, want := range map[string]string{
		strings.ReplaceAll(a, "%", `"a"`):      "",
		strings.ReplaceAll(a, "%", `"a", "b"`): `inputSchema.required.1: "b" is required, but it is not one of the properties; describe it in properties, or remove it from required`,
		strings.ReplaceAll(a, "%", `"A"`):      `inputSchema.required.0: "A" is required, but it is not one of the properties; did you mean a?`,

		`{"type": "object", "properties": {"a": {"type": "strng"}}}`:                                                           `inputSchema.properties.a.type: "strng" is not a type; did you mean string?`,
		`{"type": "object", "properties": {"a": {"type": "Integer"}}}`:                                                         `inputSchema.properties.a.type: "Integer" is not a type; did you mean integer?`,
		`{"type": "object", "properties": {"a": {"type": "bool"}}}`:                                                            `inputSchema.properties.a.type: "bool" is not a type; did you mean boolean?`,
		`{"type": "object", "properties": {"a": {"type": "dict"}}}`:                                                            `inputSchema.properties.a.type: "dict" is not a type; did you mean object?`,
		`{"type": "object", "properties": {"a": {"type": ["string", "nul"]}}}`:                                                 `inputSchema.properties.a.type.1: "nul" is not a type; did you mean null?`,
		`{"type": "object", "properties": {"a": {"type": "date"}}}`:                                                            `inputSchema.properties.a.type: "date" is not a type; use one of string, number, integer, boolean, array, object, null`,
		`{"type": "object", "properties": {"a": {"items": {"type": "strng"}}}}`:                                                `inputSchema.properties.a.items.type: "strng" is not a type; did you mean string?`,
		`{"type": "object", "$defs": {"a": {"anyOf": [{"type": "str"}]}}}`:                                                     `inputSchema.$defs.a.anyOf.0.type: "str" is not a type; did you mean string?`,
		`{"type": "object", "properties": {"type": {"const": {"type": "any"}}}}`:                                               "", // that is a value
		`{"type": "object", "properties": {"a": {"required": ["b"]}}}`:                                                         "", // its properties are left open
		`{"type": "object", "properties": {}, "anyOf": [{"required": ["a"]}]}`:                                                 "",
		`{"type": "object", "properties": {}, "required": ["a"], "$ref": "#/d"}`:                                               "",
		`{"type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"b": {}}, "required": ["a"]}]}`:                 "",
		`{"type": "object", "properties": {}, "required": ["a"], "additionalProperties": {"type": "string"}}`:                  "",
		`{"type": "object", "properties": {"a": {"properties": {"b": {}}, "required": ["c"]}}, "additionalProperties": false}`: `inputSchema.properties.a.required.0: "c" is required, but it is not one of the properties; describe it in properties, or remove it from required`,
	} {
		t.Run(schema, func(t *testing.T) {
			is := is.New(t)
			faults, _ := lint(t, schema)
			is.Equal(strings.Join(faults, "\n"), want)
		})
	}
}

func TestAWordThatIsNotATypeIsNotServed(t *testing.T) {
	is := is.New(t)
	_, shown := lint(t, `{"type": "object", "properties": {"a": {"type": "strng", "minLength": 1}, "b": {"type": ["string", "nul"]}}}`)
	is.Equal(shown, `{"type":"object","properties":{"a":{"minLength":1},"b":{"type":["string"]}}}`)
}

func TestMostSchemasNeedAGlanceOnly(t *testing.T) {
	for schema, plain := range map[string]bool{
		`{"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}`: true,
		`{"type": "object", "properties": {"type": {"type": "string"}, "required" : {}}}`:          true,
		`{}`:                                    true,
		`{"type": "strng"}`:                     false,
		`{"type": ["string", "nul"]}`:           false,
		`{"type": [1]}`:                         false,
		`{"properties": {}, "required": ["a"]}`: false,
		`{"properties": {}, "required": ["type"], "type": "object"}`: false, // a keyword is a member everywhere
		`{"properties": {"a\"": {}}, "required": ["a\""]}`:           false, // no escapes are read
	} {
		t.Run(schema, func(t *testing.T) { is.New(t).Equal(isPlainSchema([]byte(schema)), plain) })
	}
}
