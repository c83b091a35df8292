package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// Each fault is written "pointer keyword: message".
func TestAFaultNamesTheExpectedAndTheActualValue(t *testing.T) {
	long := strings.Repeat("ü", 60)
	for _, test := range []struct {
		schema, doc string
		want        []string
	}{
		{`{"type":"string"}`, `5`, []string{` type: expected string, got number 5`}},
		{`{"type":["null","boolean"]}`, `{"a":1}`, []string{` type: expected boolean or null, got object with 1 property`}},
		{`{"type":"integer"}`, `[1,2]`, []string{` type: expected integer, got array of 2 items`}},
		{`{"type":"integer"}`, `1.50`, []string{` type: expected integer, got number 1.5`}},
		{`{"type":"string"}`, `null`, []string{` type: expected string, got null`}},
		{`{"type":"string"}`, `true`, []string{` type: expected string, got boolean true`}},
		{`{"enum":["read","write"]}`, `"delete"`, []string{` enum: expected one of "read", "write", got "delete"`}},
		{`{"enum":["<b>"]}`, `"<i>"`, []string{` enum: expected "<b>", got "<i>"`}},
		{`{"const":{"b":[1,null],"a":"x"}}`, `{}`,
			[]string{` const: expected {"a":"x","b":[1,null]}, got object with 0 properties`}},
		{`{"minimum":1}`, `-0.0`, []string{` minimum: expected at least 1, got 0`}},
		{`{"maximum":1.50}`, `2`, []string{` maximum: expected at most 1.5, got 2`}},
		{`{"exclusiveMinimum":0}`, `0`, []string{` exclusiveMinimum: expected more than 0, got 0`}},
		{`{"exclusiveMaximum":10}`, `10`, []string{` exclusiveMaximum: expected less than 10, got 10`}},
		{`{"multipleOf":0.01}`, `0.005`, []string{` multipleOf: expected a multiple of 0.01, got 0.005`}},
		{`{"maximum":1e300}`, `1e301`, []string{` maximum: expected at most 1e300, got 1e301`}},
		{`{"minLength":1}`, `""`, []string{` minLength: expected at least 1 character, got 0: ""`}},
		{`{"maxLength":2}`, `"üöä"`, []string{` maxLength: expected at most 2 characters, got 3: "üöä"`}},
		{`{"maxLength":2}`, `"` + long + `"`,
			[]string{` maxLength: expected at most 2 characters, got 60: "` + strings.Repeat("ü", 40) + `…"`}},
		{`{"pattern":"^a"}`, `"b"`, []string{` pattern: expected a match of the pattern ^a, got "b"`}},
		{`{"minItems":1}`, `[]`, []string{` minItems: expected at least 1 item, got 0`}},
		{`{"maxItems":1}`, `[1,2]`, []string{` maxItems: expected at most 1 item, got 2`}},
		{`{"uniqueItems":true}`, `[1,2,1]`, []string{` uniqueItems: expected distinct items, got equal ones at 0 and 2`}},
		{`{"contains":{"type":"string"}}`, `[1]`,
			[]string{` contains: expected an item matching {"type":"string"}, got none`}},
		{`{"contains":{"const":1},"minContains":2}`, `[1]`,
			[]string{` minContains: expected at least 2 items matching {"const":1}, got 1`}},
		{`{"contains":{"const":1},"maxContains":1}`, `[1,1]`,
			[]string{` maxContains: expected at most 1 item matching {"const":1}, got 2`}},
		{`{"minProperties":1}`, `{}`, []string{` minProperties: expected at least 1 property, got 0`}},
		{`{"maxProperties":0}`, `{"a":1}`, []string{` maxProperties: expected at most 0 properties, got 1`}},
		{`{"required":["a","b"]}`, `{}`,
			[]string{` required: missing required property "a"`, ` required: missing required property "b"`}},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`,
			[]string{` dependentRequired: missing property "b", which "a" requires`}},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`,
			[]string{` dependencies: missing property "b", which "a" requires`}},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":false}`, `[1,2,3]`,
			[]string{` additionalItems: expected at most 1 item, got 3`}},
		{`{"properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"c":1,"d":2}`, []string{
			`/c additionalProperties: unexpected property "c", allowed: "a", "b"`,
			`/d additionalProperties: unexpected property "d", allowed: "a", "b"`}},
		{`{"patternProperties":{"^x-":{}},"additionalProperties":false}`, `{"c":1}`,
			[]string{`/c additionalProperties: unexpected property "c", allowed: names that match ^x-`}},
		{`{"additionalProperties":false}`, `{"c":1}`,
			[]string{`/c additionalProperties: unexpected property "c", none is allowed here`}},
		{`{"unevaluatedProperties":false}`, `{"c":1}`, []string{`/c false: unexpected property "c"`}},
		{`{"prefixItems":[{}],"items":false}`, `[1,2]`, []string{`/1 false: unexpected item`}},
		{`false`, `[1]`, []string{` false: no value is allowed here, got array of 1 item`}},
		{`{"items":{"propertyNames":{"maxLength":2}}}`, `[{"abc":1},{"ab":1},{"abcd":1}]`, []string{
			`/0 propertyNames: property name "abc" is not allowed: expected at most 2 characters, got 3: "abc"`,
			`/2 propertyNames: property name "abcd" is not allowed: expected at most 2 characters, got 4: "abcd"`}},
		{`{"not":{"type":"string"}}`, `"a"`, []string{` not: expected nothing that matches {"type":"string"}, got "a"`}},
		{`{"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]}`, `{}`, []string{
			` anyOf: matches none of the 2 alternatives: (1) expected string, got object with 0 properties; (2) missing ` +
				`required property "a"`}},
		{`{"items":{"oneOf":[{"type":"string"},{"properties":{"a":{"type":"null"}}}]}}`, `[{"a":1}]`, []string{
			`/0 oneOf: matches none of the 2 alternatives: (1) expected string, got object with 1 property; (2) at /0/a: ` +
				`expected null, got number 1`}},
		{`{"oneOf":[{"type":"integer"},{"type":"string"},{"minimum":2}]}`, `3`,
			[]string{` oneOf: matches alternatives 1 and 3, expected exactly one to match`}},
		{`{"type":"string","enum":["a"],"minLength":2}`, `5`, []string{` type: expected string, got number 5`}},
		{`{"properties":{"a/b":{"type":"string"},"m~n":{"type":"string"},"":{"type":"string"}}}`, `{"a/b":1,"m~n":1,"":1}`,
			[]string{
				`/ type: expected string, got number 1`,
				`/a~1b type: expected string, got number 1`,
				`/m~0n type: expected string, got number 1`}},
		{`{"$dynamicAnchor":"a","$dynamicRef":"#a"}`, `1`,
			[]string{` $ref: cannot be validated: the schema refers to itself endlessly`}},
	} {
		t.Run(test.schema, func(t *testing.T) {
			is := is.New(t)
			s, err := schema.Compile([]byte(test.schema))
			is.NoErr(err)
			faults, err := s.Validate(t.Context(), []byte(test.doc))
			is.NoErr(err)
			if diff := cmp.Diff(test.want, written(faults)); diff != "" {
				t.Errorf("- want, + got:\n%s", diff)
			}
		})
	}
}

func written(faults []schema.Fault) []string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.Pointer()+" "+f.Keyword+": "+f.Message)
	}
	return lines
}

func TestAllFaultsAreReported(t *testing.T) {
	want := []string{
		`missing required property "path"`,
		`at /force: unexpected property "force", allowed: "mode", "name", "options", "path", "tags"`,
		`at /mode: expected one of "read", "write", "append", got "delete"`,
		`at /name: expected a match of the pattern ^[a-z]+$, got "Sys log"`,
		`at /options/deep: unexpected property "deep", allowed: "depth", "recursive"`,
		`at /options/depth: expected at most 10, got 99`,
		`at /options/recursive: expected boolean, got string "true"`,
		`at /tags: expected at most 4 items, got 5`,
		`at /tags/1: expected string, got number 2`,
	}
	for _, raw := range []string{closedSchema, exactSchema} {
		is := is.New(t)
		s, err := schema.Compile([]byte(raw))
		is.NoErr(err)
		faults, err := s.Validate(t.Context(), []byte(badCall))
		is.NoErr(err)
		var got []string
		for _, f := range faults {
			got = append(got, f.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("- want, + got:\n%s", diff)
		}
	}
}

func TestAMessageStaysShortWhateverTheValues(t *testing.T) {
	var names, values, alternatives []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf(`"property%d":{}`, i))
		values = append(values, fmt.Sprintf(`"value%d"`, i))
		alternatives = append(alternatives, fmt.Sprintf(`{"required":["%s%d"]}`, strings.Repeat("n", 200), i))
	}
	text := `"` + strings.Repeat("x", 100_000) + `"`
	deep := strings.Repeat(`{"a":`, 90) + text + strings.Repeat(`}`, 90)
	for _, test := range []struct{ schema, doc string }{
		{`{"enum":[` + strings.Join(values, ",") + `]}`, text},
		{`{"not":{"enum":[` + strings.Join(values, ",") + `]}}`, `"value7"`},
		{`{"const":` + deep + `}`, `1`},
		{`{"properties":{` + strings.Join(names, ",") + `},"additionalProperties":false}`, `{` + text + `:1}`},
		{`{"anyOf":[` + strings.Join(alternatives, ",") + `]}`, `{}`},
		{`{"pattern":` + text + `}`, `"y"`},
		{`{"propertyNames":{"maxLength":3}}`, `{` + text + `:1}`},
	} {
		is := is.New(t)
		s, err := schema.Compile([]byte(test.schema))
		is.NoErr(err)
		faults, err := s.Validate(t.Context(), []byte(test.doc))
		is.NoErr(err)
		is.Equal(len(faults), 1)
		is.True(len(faults[0].Message) < 1_200) // is short
		// and says that it was cut
		is.True(strings.Contains(faults[0].Message, "…") || strings.Contains(faults[0].Message, "more"))
	}
}
