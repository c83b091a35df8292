package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestABadSchemaIsRefusedWithItsErrorAndPlace(t *testing.T) {
	const (
		outside = " refers to another document, and nothing is fetched: copy it to $defs and refer to it as #/$defs/NAME"
		endless = "the schema refers to itself without descending into the value, which would never end"
	)
	for _, test := range []struct{ schema, want string }{
		{``, `not JSON: empty`},
		{`{`, `not JSON: unexpected EOF after offset 1`},
		{`null`, `not a valid schema: expected boolean or object, got null`},
		{`[]`, `not a valid schema: expected boolean or object, got array of 0 items`},
		{`{"type":[]}`, `not a valid schema: at /type: matches none of the 2 alternatives: (1) expected one of "array", "boolean", "integer", "null", "number", "object", "string", got array of 0 items; (2) expected at least 1 item, got 0`},
		{`{"properties":{"a":null}}`, `not a valid schema: at /properties/a: expected boolean or object, got null`},
		{`{"allOf":[null]}`, `not a valid schema: at /allOf/0: expected boolean or object, got null`},
		{`{"items":{"minimum":"3","maxLength":-1}}`, `not a valid schema: at /items/maxLength: expected at least 0, got -1 (and 1 more)`},
		{`{"$ref":"#/%zz"}`, `not a valid schema: at /$ref: expected the format uri-reference, got "#/%zz"`},
		{`{"$schema":5}`, `not a valid schema: at /$schema: expected string, got number 5`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","not":{"required":true}}`, `not a valid schema: at /not/required: expected array, got boolean true`},

		{`{"$ref":"#/$defs/nope"}`, `at /$ref: "#/$defs/nope" has no target`},
		{`{"$ref":"#/a~2"}`, `at /$ref: "#/a~2" has no target`},
		{`{"items":{"$ref":"#nope"}}`, `at /items/$ref: "#nope" has no target`},
		{`{"$anchor":"a","$defs":{"b":{"$anchor":"a"}}}`, `at /$defs/b/$anchor: duplicate anchor "a", the schema at "" has it too`},
		{`{"$defs":{"unused":{"$dynamicRef":"#nope"}}}`, `at /$defs/unused/$dynamicRef: "#nope" has no target`},
		{`{"$ref":"#/properties"}`, `at /$ref: "#/properties" has no target`},
		{`{"$ref":"#/required","required":["a"]}`, `not a valid schema: at /required: expected boolean or object, got array of 1 item`},

		{`{"properties":{"a":{"$ref":"http://example.com/s.json#/a"}}}`, `at /properties/a/$ref: "http://example.com/s.json#/a"` + outside},
		{`{"$ref":"https://example.com/s.json"}`, `at /$ref: "https://example.com/s.json"` + outside},
		{`{"$ref":"file:///etc/passwd"}`, `at /$ref: "file:///etc/passwd"` + outside},
		{`{"$ref":"../other.json"}`, `at /$ref: "../other.json"` + outside},
		{`{"$ref":"urn:example:s"}`, `at /$ref: "urn:example:s"` + outside},
		{`{"$id":"https://example.com/a","items":{"$ref":"b"}}`, `at /items/$ref: "b"` + outside},
		{`{"$defs":{"unused":{"$ref":"ftp://example.com/s"}}}`, `at /$defs/unused/$ref: "ftp://example.com/s"` + outside},

		{`{"$id":"https://example.com/a","$defs":{"b":{"$id":"c"},"d":{"$id":"c"}}}`, `at /$defs/d/$id: duplicate address "c", the schema at "/$defs/b" has it too`},

		{`{"$ref":"#"}`, endless},
		{`{"allOf":[{"$ref":"#"}]}`, endless},
		{`{"not":{"anyOf":[{"if":{"$ref":"#"}}]}}`, endless},
		{`{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"oneOf":[{"$ref":"#/$defs/a"}]}}}`, `at /$defs/a: ` + endless},
		{`{"$defs":{"unused":{"$ref":"#/$defs/unused"}}}`, `at /$defs/unused: ` + endless},

		{`{"minimum":1e999}`, `at /minimum: the number 1e999 has an exponent beyond 400`},
		{`{"const":[{"a":` + strings.Repeat("1", 1001) + `}]}`, `at /const/0/a: a number of 1001 digits, more than 1000`},
		{`{"description":"` + strings.Repeat("x", 256<<10) + `"}`, `the schema has 262162 bytes, more than 262144`},
		{strings.Repeat(`{"items":`, 101) + `{}` + strings.Repeat(`}`, 101), `at …` + strings.Repeat("/items", 13) + `: nested deeper than 100 levels`},
		{longChain(100), `the schema applies more than 100 nested schemas to one value`},
		{`{"allOf":[{}` + strings.Repeat(`,{}`, 10_000) + `]}`, `the schema contains more than 10000 schemas`},
	} {
		t.Run(test.schema[:min(len(test.schema), 60)], func(t *testing.T) {
			is := is.New(t)
			_, err := schema.Compile([]byte(test.schema))
			is.True(err != nil) // refused
			if err != nil {
				is.Equal(err.Error(), test.want)
			}
		})
	}
}

// longChain returns a schema of definitions that each refer to the next one.
func longChain(length int) string {
	var defs strings.Builder
	for i := range length - 1 {
		fmt.Fprintf(&defs, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/0","$defs":{%s"%d":{"items":{"$ref":"#"}}}}`, defs.String(), length-1)
}

func TestAnUnsupportedDialectIsRefusedWithTheSupportedOnes(t *testing.T) {
	is := is.New(t)
	for _, raw := range []string{
		`{"$schema":"https://example.com/dialect"}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema#/a"}`,
		`{"$schema":"http://json-schema.org/draft-03/schema#"}`,
	} {
		_, err := schema.Compile([]byte(raw))
		is.True(err != nil) // refused
		is.True(strings.HasPrefix(err.Error(), "at /$schema: dialect "))
		for _, supported := range []string{"draft/2020-12", "draft/2019-09", "draft-07", "draft-06", "draft-04"} {
			is.True(strings.Contains(err.Error(), supported)) // named
		}
	}

	_, err := schema.Compile([]byte(`{"$defs":{"a":{"$id":"a","$schema":"https://example.com/dialect"}}}`))
	is.True(err != nil)                                              // inside, too
	is.True(strings.HasPrefix(err.Error(), "at /$defs/a/$schema: ")) // with its place
}

func TestDataThatLooksLikeASchemaIsLeftAlone(t *testing.T) {
	is := is.New(t)
	for _, keyword := range []string{"const", "default", "x-example"} {
		raw := `{"` + keyword + `":{"$ref":"http://example.com","$schema":"x","pattern":"[","type":"strin"}}`
		_, err := schema.Compile([]byte(raw))
		is.NoErr(err)
	}
	_, err := schema.Compile([]byte(`{"properties":{"$ref":{"type":"string"},"pattern":{"type":"string"},"$schema":{}}}`))
	is.NoErr(err) // properties may have the names of keywords
}

func TestAnUnsupportedPatternIsRefusedWithItsPlace(t *testing.T) {
	for raw, want := range map[string]string{
		`{"properties":{"a":{"type":"string","pattern":"["}}}`:                        "at /properties/a/pattern: is not a supported regular expression: unterminated [] set",
		`{"patternProperties":{"^x":{"type":"null"},"(":{}}}`:                         "at /patternProperties/(: is not a supported regular expression: missing closing )",
		`{"$defs":{"a":{"pattern":"^([^-]|$"}}}`:                                      "at /$defs/a/pattern: is not a supported regular expression: missing closing )",
		`{"$ref":"#/x-own/a","x-own":{"a":{"pattern":"["}}}`:                          "at /x-own/a/pattern: is not a supported regular expression: unterminated [] set",
		`{"$schema":"http://json-schema.org/draft-07/schema#","not":{"pattern":"["}}`: "at /not/pattern: is not a supported regular expression: unterminated [] set",
	} {
		is := is.New(t)
		_, err := schema.Compile([]byte(raw))
		is.True(err != nil)
		is.Equal(err.Error(), want)
		is.Equal(schema.Check([]byte(raw)).Error(), want) // the quick check says the same
	}
}
