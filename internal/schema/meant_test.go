package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestADocumentIsReadAsWhatItMeans(t *testing.T) {
	properties := func(of string) string { return `{"properties":{"a":` + of + `}}` }
	for _, test := range []struct {
		schema, doc, want string // want is empty where the document is refused
		changed           int
	}{
		{properties(`{"type":"integer"}`), `{"a":"5"}`, `{"a":5}`, 1},
		{properties(`{"type":"integer"}`), `{"a":"-12345678901234567890123"}`, `{"a":-12345678901234567890123}`, 1},
		{properties(`{"type":"number"}`), `{"a":"1.50"}`, `{"a":1.50}`, 1},
		{properties(`{"type":["integer","number"]}`), `{"a":"1.5"}`, `{"a":1.5}`, 1},
		{properties(`{"type":"boolean"}`), `{"a":"true"}`, `{"a":true}`, 1},
		{properties(`{"type":"null"}`), `{"a":"null"}`, `{"a":null}`, 1},
		{properties(`{"type":"array"}`), `{"a":"[1,2]"}`, `{"a":[1,2]}`, 1},
		{properties(`{"type":"object"}`), `{"a":"{\"b\":\"ü\"}"}`, `{"a":{"b":"ü"}}`, 1},
		{properties(`{"enum":[1,2]}`), `{"a":"2"}`, `{"a":2}`, 1},
		{properties(`{"const":true}`), `{"a":"true"}`, `{"a":true}`, 1},

		// At any depth, and in what was a string before.
		{properties(`{"items":{"properties":{"b":{"type":"number"}}}}`), `{"a":[{"b":"1"},{"b":2},{"b":"3"}]}`, `{"a":[{"b":1},{"b":2},{"b":3}]}`, 2},
		{properties(`{"type":"array","items":{"type":"integer"}}`), `{"a":"[\"1\",2]"}`, `{"a":[1,2]}`, 2},
		{`{"$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"},"v":{"type":"number"}}}},"$ref":"#/$defs/n"}`, `{"next":{"next":{"v":"7"}}}`, `{"next":{"next":{"v":7}}}`, 1},
		{`{"additionalProperties":{"type":"integer"}}`, `{"a/b~c":"1","":"2"}`, `{"a/b~c":1,"":2}`, 2},

		// A scalar for a string is what it spells.
		{properties(`{"type":"string"}`), `{"a":5}`, `{"a":"5"}`, 1},
		{properties(`{"type":"string"}`), `{"a":1.50e3}`, `{"a":"1.50e3"}`, 1},
		{properties(`{"type":"string"}`), `{"a":false}`, `{"a":"false"}`, 1},
		{properties(`{"enum":["1","2"]}`), `{"a":2}`, `{"a":"2"}`, 1},

		// One string is a list of one, whose items have their types.
		{properties(`{"type":"array"}`), `{"a":"x, \"y\""}`, `{"a":["x, \"y\""]}`, 1},
		{properties(`{"type":"array","items":{"type":"integer"}}`), `{"a":"5"}`, `{"a":[5]}`, 2},
		{properties(`{"type":"array","items":{"type":"integer"}}`), `{"a":"five"}`, ``, 0},
		{properties(`{"type":"array","minItems":2}`), `{"a":"x"}`, ``, 0},
		{properties(`{"type":"array"}`), `{"a":"[1,2"}`, ``, 0},
		{properties(`{"type":"array"}`), `{"a":""}`, ``, 0},

		// Null is for what is not given.
		{properties(`{"type":"string"}`), `{"b":1,"a":null,"c":2}`, `{"b":1,"c":2}`, 1},
		{properties(`{"type":["string","number"]}`), `{"a":null}`, `{}`, 1},
		{properties(`{"enum":["x"]}`), `{"a":null}`, `{}`, 1},
		{properties(`{"anyOf":[{"type":"string"},{"type":"number"}]}`), `{"a":null}`, `{}`, 1},
		{`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":null}`, ``, 0},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"b":null}`, ``, 0},
		{properties(`{"items":{"type":"string"}}`), `{"a":[null]}`, ``, 0},

		// All else stays as it is spelled, in its order.
		{properties(`{"type":"integer"}`), `{ "z":"\ud800", "a":"5", "b":[1.0, 2e0] }`, `{"z":"\ud800","a":5,"b":[1.0,2e0]}`, 1},

		// What does not spell a value exactly, and what may be more than one type, is refused.
		{properties(`{"type":"integer"}`), `{"a":" 5"}`, ``, 0},
		{properties(`{"type":"integer"}`), `{"a":"05"}`, ``, 0},
		{properties(`{"type":"integer"}`), `{"a":"+5"}`, ``, 0},
		{properties(`{"type":"integer"}`), `{"a":"5.5"}`, ``, 0},
		{properties(`{"type":"integer"}`), `{"a":""}`, ``, 0},
		{properties(`{"type":"integer"}`), `{"a":"1e999999"}`, ``, 0},
		{properties(`{"type":"boolean"}`), `{"a":"True"}`, ``, 0},
		{properties(`{"type":"boolean"}`), `{"a":1}`, ``, 0},
		{properties(`{"type":"integer"}`), `{"a":true}`, ``, 0},
		{properties(`{"type":"string"}`), `{"a":[1]}`, ``, 0},
		{properties(`{"type":"array"}`), `{"a":"[1,2"}`, ``, 0},
		{properties(`{"type":["integer","boolean"]}`), `{"a":"5"}`, ``, 0},
		{properties(`{"type":"integer","maximum":4}`), `{"a":"5"}`, ``, 0},
		{properties(`{"allOf":[{"type":"integer"},{"type":"string"}]}`), `{"a":"5"}`, ``, 0},
		{`{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`, `{"a":"5","b":"x"}`, ``, 0},
		{properties(`{"type":"integer"}`), `{"a":`, ``, 0},
	} {
		t.Run(test.schema+test.doc, func(t *testing.T) {
			is := is.New(t)
			s, err := schema.Compile([]byte(test.schema))
			is.NoErr(err)
			got, changed, conforms := s.Meant(t.Context(), []byte(test.doc))
			is.Equal(conforms, test.want != "")
			if conforms {
				is.Equal(string(got), test.want)
				is.Equal(changed, test.changed)
			}
		})
	}
}

func TestManyStringsAreReadAsWhatTheyMeanInBoundedTime(t *testing.T) {
	is := is.New(t)
	s, err := schema.Compile([]byte(`{"items":{"type":"integer"}}`))
	is.NoErr(err)
	got, changed, _ := s.Meant(t.Context(), []byte("["+strings.Repeat(`"1",`, 49_999)+`"1"]`))
	is.Equal(string(got), "["+strings.Repeat("1,", 49_999)+"1]")
	is.Equal(changed, 50_000)

	nested := `1`
	for range 9 { // each round opens one of them
		nested = fmt.Sprintf("[%q]", nested)
	}
	s, err = schema.Compile([]byte(`{"$defs":{"l":{"type":"array","items":{"$ref":"#/$defs/l"}}},"$ref":"#/$defs/l"}`))
	is.NoErr(err)
	_, _, conforms := s.Meant(t.Context(), []byte(nested))
	is.True(!conforms)
}
