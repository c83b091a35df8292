package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestAWordThatIsNotATypeIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"type": "object", "properties": {"a": {"type": "strng"}}}`:       `inputSchema: at /properties/a/type: "strng" is not a type; did you mean string?`,
		`{"type": "object", "properties": {"a": {"type": "Integer"}}}`:     `inputSchema: at /properties/a/type: "Integer" is not a type; did you mean integer?`,
		`{"type": "object", "properties": {"a": {"type": "bool"}}}`:        `inputSchema: at /properties/a/type: "bool" is not a type; did you mean boolean?`,
		`{"type": "object", "properties": {"a": {"type": "dict"}}}`:        `inputSchema: at /properties/a/type: "dict" is not a type; did you mean object?`,
		`{"type": "object", "properties": {"a": {"type": "date"}}}`:        `inputSchema: at /properties/a/type: "date" is not a type; use one of string, number, integer, boolean, array, object, null`,
		`{"type": "object", "$defs": {"a": {"anyOf": [{"type": "str"}]}}}`: `inputSchema: at /$defs/a/anyOf/0/type: "str" is not a type; did you mean string?`,
		`{"type": "object", "properties": {"type": "string"}}`:             `inputSchema: at /properties/type: expected boolean or object, got string "string"; write {"type":"string"}`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			is.Equal(faults(found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"inputSchema\": "+text+"}\n")),
				"tools/a.meta.json:1: "+want)
		})
	}
}

// brokenKeywords are values that no keyword may have, for all keywords that restrict.
var brokenKeywords = map[string][]string{
	"$schema": {`5`, `"draft-0"`}, "$id": {`5`}, "$anchor": {`5`}, "$dynamicAnchor": {`5`}, "$vocabulary": {`5`},
	"$ref": {`5`, `"#/$defs/none"`, `"https://example.com/x"`}, "$dynamicRef": {`5`, `"#none"`},
	"$defs": {`5`, `{"a":5}`}, "definitions": {`5`}, "type": {`5`, `"strng"`, `["strng"]`, `[]`}, "enum": {`"x"`, `{}`},
	"properties": {`5`, `{"a":"string"}`, `[]`}, "patternProperties": {`5`, `{"(":{}}`, `{"a":5}`}, "propertyNames": {`5`},
	"additionalProperties": {`5`, `"false"`}, "unevaluatedProperties": {`"false"`}, "unevaluatedItems": {`5`},
	"dependentSchemas": {`5`, `{"a":5}`}, "dependentRequired": {`5`, `{"a":"b"}`}, "dependencies": {`5`, `{"a":5}`},
	"allOf": {`{}`, `[]`, `[5]`}, "anyOf": {`{}`, `["x"]`}, "oneOf": {`{}`, `[5]`, `[]`}, "not": {`[]`}, "if": {`5`},
	"then": {`5`}, "else": {`5`},
	"minimum": {`"5"`}, "maximum": {`true`}, "exclusiveMinimum": {`true`}, "exclusiveMaximum": {`"5"`},
	"multipleOf": {`0`, `"2"`},
	"minLength":  {`-1`, `"1"`}, "maxLength": {`1.5`}, "pattern": {`5`, `"^([^-]|$"`}, "minItems": {`"1"`},
	"maxItems": {`-1`},
	"items":    {`5`, `[{}]`}, "prefixItems": {`{}`, `[5]`}, "contains": {`5`}, "minContains": {`"1"`}, "maxContains": {`-1`},
	"uniqueItems": {`"true"`}, "required": {`true`, `"a"`, `[5]`}, "minProperties": {`"1"`}, "maxProperties": {`-1`},
}

func TestAToolWithABrokenSchemaIsNotServed(t *testing.T) {
	// Words of other dialects, or of none, have no wrong value in 2020-12; anything is a constant.
	harmless := []string{"id", "nullable", "example", "additionalItems", "const", "$recursiveRef", "$recursiveAnchor"}
	for _, keyword := range schema.Keywords() {
		broken := brokenKeywords[keyword]
		describes := schema.Describes(keyword)
		if describes {
			broken = []string{`5`, `"x"`, `{"type":5}`}
		}
		if len(broken) == 0 && !slices.Contains(harmless, keyword) {
			t.Errorf("no value breaks %s", keyword)
		}
		for _, value := range broken {
			for _, field := range []string{"inputSchema", "arguments", "outputSchema"} {
				is := is.New(t)
				at := "/properties/a/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(keyword)
				inside := fmt.Sprintf(`{"type":"object","properties":{"a":{%q:%s}}}`, keyword, value)
				root := folderOf(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\n\""+field+"\": "+inside+"}\n-- tools/b.sh --\n")
				s := snapshot(t, opened(t, root, Options{}))
				if describes {
					is.Equal(names(s), "a b") // what describes costs itself
					is.True(s.Faults == nil || s.Faults[0].Warning)
					continue
				}
				if names(s) != "b" || len(s.Faults) != 1 {
					t.Fatalf("%s: serves %s; %s", inside, names(s), faults(s))
				}
				f := s.Faults[0]
				is.True(!f.Warning && f.Line == 2 && f.Hint != "")
				is.Equal(f.Field, field)
				is.True(strings.HasPrefix(f.Reason, "at "+at)) // a JSON pointer
			}
		}
	}
	for _, field := range []string{"inputSchema", "arguments", "outputSchema"} {
		for _, value := range []string{`false`, `5`, `"x"`, `[]`} {
			is := is.New(t)
			root := folderOf(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\""+field+"\": "+value+"}\n-- tools/b.sh --\n")
			is.Equal(names(snapshot(t, opened(t, root, Options{}))), "b")
		}
	}
}

func TestAKeywordThatIsNullOrFalseRefusesNothing(t *testing.T) {
	for _, member := range []string{`"required":false`, `"pattern":null`, `"additionalProperties":null`, `"enum":null`} {
		is := is.New(t)
		root := folderOf(t, `
-- tools/a.sh --
-- tools/a.meta.json --
{"inputSchema": {"type":"object","properties":{"a":{`+member+`}}}}
`)
		s := snapshot(t, opened(t, root, Options{}))
		is.Equal(string(s.Items[0].InputSchema), `{"type":"object","properties":{"a":{}}}`)
		is.True(len(s.Faults) == 1 && s.Faults[0].Warning)
	}
}

func TestManyBrokenDescriptionsTakeTheToolOut(t *testing.T) {
	is := is.New(t)
	var all []string
	for i := range manyLosses + 5 {
		all = append(all, fmt.Sprintf(`"p%d":{"title":5}`, i))
	}
	root := folderOf(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"inputSchema\": {\"properties\":{"+strings.Join(all,
		",")+"}}}\n")
	is.Equal(names(snapshot(t, opened(t, root, Options{}))), "")
}
