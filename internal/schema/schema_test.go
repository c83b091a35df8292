package schema_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// Schemas that tool authors write, and those for which validators were seen to be wrong.
func TestEverydaySchemasAreValidatedCorrectly(t *testing.T) {
	for _, test := range []struct{ name, schema, accepts, rejects string }{
		{"a string is no boolean", `{"type":"boolean"}`, `true`, `"true"`},
		{"nor is a digit", `{"type":"boolean"}`, `false`, `"1"`},
		{"nor a number", `{"type":"integer"}`, `1`, `"1"`},
		{"1.0 is an integer", `{"type":"integer"}`, `1.0`, `1.5`},
		{"an integer is a number", `{"type":"number"}`, `1`, `null`},
		{"several types", `{"type":["string","null"]}`, `null`, `1`},
		{"2^63 is an integer", `{"type":"integer"}`, `9223372036854775808`, `9223372036854775808.5`},
		{"1e30 is an integer", `{"type":"integer"}`, `1e30`, `1e-30`},
		{"a neighbour of 2^53 and maximum", `{"maximum":9007199254740992}`, `9007199254740992`, `9007199254740993`},
		{"a neighbour of 2^53 and const", `{"const":9007199254740993}`, `9007199254740993`, `9007199254740992`},
		{"a neighbour of 2^53 and enum", `{"enum":[9007199254740993]}`, `9007199254740993`, `9007199254740992`},
		{"a long number and a short limit", `{"maximum":0.1}`, `0.1`, `0.10000000000000000001`},
		{"a tiny number", `{"exclusiveMinimum":0}`, `1e-400`, `0`},
		{"cents", `{"multipleOf":0.01}`, `19.99`, `19.999`},
		{"equal numbers", `{"const":1.0}`, `1`, `1.1`},
		{"no value at all", `false`, ``, `1`},
		{"any value", `true`, `1`, ``},

		{"uniqueItems", `{"uniqueItems":true}`, `[1,2]`, `[1,1.0]`},
		{"uniqueItems off", `{"uniqueItems":false}`, `[1,1]`, ``},
		{"prefixItems", `{"prefixItems":[{"type":"string"}]}`, `["a",1]`, `[1]`},
		{"prefixItems and no more", `{"prefixItems":[{"type":"string"}],"items":false}`, `["a"]`, `["a",1]`},
		{"minContains 0", `{"contains":{"type":"string"},"minContains":0}`, `[1]`, ``},
		{"contains", `{"contains":{"type":"string"}}`, `[1,"a"]`, `[1]`},
		{"a length of 2.0", `{"maxLength":2.0}`, `"ab"`, `"abc"`},
		{"characters, not bytes", `{"maxLength":2}`, `"üü"`, `"abc"`},
		{"an empty enum", `{"enum":[]}`, ``, `1`},
		{"format is an annotation", `{"format":"email"}`, `"not an email"`, ``},

		{"properties of an inner object are not those of the outer",
			`{"properties":{"a":{"properties":{"x":{}}}},"additionalProperties":false}`, `{"a":{"x":1}}`, `{"a":{"x":1},"x":2}`},
		{"nor are those of additional ones",
			`{"additionalProperties":{"type":"object","properties":{"b":{}}}}`, `{"a":{"b":1}}`, `{"a":{"b":1},"b":2}`},
		{"additionalProperties sees its own properties only",
			`{"allOf":[{"properties":{"a":{}}}],"additionalProperties":false}`, `{}`, `{"a":1}`},
		{"unevaluatedProperties sees the others too",
			`{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1}`, `{"b":1}`},
		{"null is present", `{"required":["a"]}`, `{"a":null}`, `{}`},
		{"a $ref to $defs", `{"$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"a recursive tree", `{"properties":{"kids":{"type":"array","items":{"$ref":"#"}}}}`, `{"kids":[{"kids":[]}]}`, `{"kids":[{"kids":1}]}`},
		{"a nullable union", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `null`, `1`},
		{"exactly one", `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `1`, `3`},
		{"if and then", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1,"b":1}`, `{"a":1}`},
		{"an $id", `{"$id":"https://example.com/tool","$defs":{"s":{"$id":"s","type":"string"}},"items":{"$ref":"s"}}`, `["a"]`, `[1]`},
		{"a schema for schemas", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":"string"}`, `{"type":"strin"}`},

		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"draft-07 definitions", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"items":{"$ref":"#/definitions/s"}}`, `["a"]`, `[1]`},
		{"draft-07 dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"a":1,"b":1}`, `{"c":1}`},
		{"draft-07 format is an annotation too", `{"$schema":"http://json-schema.org/draft-07/schema#","items":{"format":"email"},"properties":{"re":{"format":"regex"}}}`, `["x"]`, ``},
		{"draft-07 format regex", `{"$schema":"http://json-schema.org/draft-07/schema#","format":"regex"}`, `"["`, ``},
		{"draft-06", `{"$schema":"http://json-schema.org/draft-06/schema#","exclusiveMaximum":3}`, `2`, `3`},
		{"draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","maximum":3,"exclusiveMaximum":true}`, `2`, `3`},
		{"2020-12 by http and with a fragment", `{"$schema":"http://json-schema.org/draft/2020-12/schema#","type":"string"}`, `"a"`, `1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			is := is.New(t)
			s, err := schema.Compile([]byte(test.schema))
			is.NoErr(err)
			if test.accepts != "" {
				faults, err := s.Validate(t.Context(), []byte(test.accepts))
				is.NoErr(err)
				is.Equal(len(faults), 0) // conforms
			}
			if test.rejects != "" {
				faults, err := s.Validate(t.Context(), []byte(test.rejects))
				is.NoErr(err)
				is.True(len(faults) > 0) // does not conform
			}
		})
	}
}

func TestADocumentThatIsNotJSONIsAnError(t *testing.T) {
	is := is.New(t)
	s, err := schema.Compile([]byte(`{}`))
	is.NoErr(err)
	for doc, want := range map[string]string{
		``:        "not JSON: empty",
		`{`:       "not JSON: unexpected EOF after offset 1",
		`{} {}`:   "not JSON: more text follows the first value",
		`{"a":x}`: "not JSON: invalid character 'x' at start of value within \"/a\" after offset 5",
	} {
		faults, err := s.Validate(t.Context(), []byte(doc))
		is.True(err != nil)         // not judged
		is.Equal(err.Error(), want) // says why
		is.Equal(len(faults), 0)    // and nothing else
	}
}

func TestFaultsAreSortedByPointerAndUnique(t *testing.T) {
	is := is.New(t)
	s, err := schema.Compile([]byte(`{"allOf":[{"properties":{"b":{"type":"string"},"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}],"required":["c"]}`))
	is.NoErr(err)
	for range 20 { // they are found in maps
		faults, err := s.Validate(t.Context(), []byte(`{"a":1,"b":1}`))
		is.NoErr(err)
		var pointers []string
		for _, f := range faults {
			pointers = append(pointers, f.Pointer())
		}
		is.Equal(strings.Join(pointers, " "), " /a /b")
	}
}

func TestTheBytesAreNotKept(t *testing.T) {
	is := is.New(t)
	raw := []byte(closedSchema)
	s, err := schema.Compile(raw)
	is.NoErr(err)
	is.Equal(string(raw), closedSchema) // not changed (T-20)
	for i := range raw {
		raw[i] = 'x'
	}
	faults, err := s.Validate(t.Context(), []byte(badCall))
	is.NoErr(err)
	is.Equal(len(faults), 9) // and not needed any more
}
