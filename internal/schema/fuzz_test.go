package schema_test

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// Whatever the schema and the document: nothing panics, and the answer is always the same.
func FuzzCompileAndValidate(f *testing.F) {
	for _, seed := range []struct{ schema, doc string }{
		{plainSchema, goodCall},
		{plainSchema, badCall},
		{closedSchema, badCall},
		{`{"additionalProperties":{"type":"object","properties":{"z":true}}}`, `{"a":{"z":1},"b":{"z":1},"c":{"z":1},"d":{"z":1},"e":{"z":1},"z":2}`},
		{`{"allOf":[{"properties":{"a":true}}],"not":{"additionalProperties":false}}`, `{"a":1}`},
		{`{"type":"boolean"}`, `"t"`},
		{`{"properties":{"a":{"not":{"properties":{"b":true}}}},"additionalProperties":{"type":"null"}}`, `{"a":{"b":1},"b":2}`},
		{exactSchema, badCall},
		{doubling, `{"b":1,"kid":{"kid":{"a":2}}}`},
		{`{"properties":{"a":{"properties":{"x":{}}}},"additionalProperties":false}`, `{"a":{"x":1},"x":2}`},
		{`{"$defs":{"s":{"type":"string"}},"items":{"anyOf":[{"$ref":"#/$defs/s"},{"type":"null"}]}}`, `["a",1,null]`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"$id":"#b"}},"items":[{"$ref":"#b"}]}`, `[1]`},
		{`{"oneOf":[{"const":1.0},{"enum":[1,"a"]}],"not":{"maximum":3}}`, `1`},
		{`{"$dynamicAnchor":"a","items":{"$dynamicRef":"#a"},"unevaluatedItems":false}`, `[[1e400]]`},
		{`{"pattern":"^(?=\\u0061)\\uD83D\\uDE00"}`, `"a"`},
		{`{"patternProperties":{"[":false},"propertyNames":{"minLength":2}}`, `{"a":-0.0,"~/":1E-5}`},
		{`{"$id":"http://x/","$ref":"y","$anchor":"z"}`, `9007199254740993`},
		{`{"if":{"$ref":"#"}}`, `[`},
		{`true`, `"\ud800"`},
	} {
		f.Add([]byte(seed.schema), []byte(seed.doc))
	}
	f.Fuzz(func(t *testing.T, raw, doc []byte) {
		s, err := schema.Compile(raw)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		faults, err := s.Validate(t.Context(), doc)
		if err != nil {
			return
		}
		for _, fault := range faults {
			if at := fault.Pointer(); at != "" && at[0] != '/' {
				t.Errorf("%q is no pointer", at)
			}
			if fault.Keyword == "" || fault.Message == "" || len(fault.Message) > 1_200 || !utf8.ValidString(fault.Message) {
				t.Errorf("not fit to be shown: %q", fault)
			}
		}

		again, err := schema.Compile(raw)
		if err != nil {
			t.Fatalf("refused the second time: %v", err)
		}
		if second, err := again.Validate(t.Context(), doc); err != nil || !cmp.Equal(faults, second) {
			t.Errorf("%v the first time, %v, %v the second time", faults, second, err)
		}
	})
}
