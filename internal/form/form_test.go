package form_test

import (
	"errors"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/form"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestAnswersMustMatchTheForm(t *testing.T) {
	for _, test := range []struct{ field, value, why string }{
		{`"type":"string","minLength":2,"maxLength":3`, `"éü"`, ""},
		{`"type":"string","minLength":2`, `"é"`, `expected at least 2 characters, got 1: "é"`},
		{`"type":"string","maxLength":3`, `"äöüß"`, `expected at most 3 characters, got 4: "äöüß"`},
		{`"type":"string","format":"email"`, `"ada@example.com"`, ""},
		{`"type":"string","format":"email"`, `"ada"`, `"ada" is not a valid email; write an address, as in ada@example.com`},
		{`"type":"string","format":"uri"`, `"urn:x"`, ""},
		{`"type":"string","format":"uri"`, `"x"`, `"x" is not a valid uri; write an absolute URI, as in https://example.com`},
		{`"type":"string","format":"date"`, `"2026-02-29"`, `"2026-02-29" is not a valid date; write a date, as in 2026-01-31`},
		{`"type":"string","format":"date-time"`, `"2026-02-28T10:00:00.5Z"`, ""},
		{`"type":"string","format":"date-time"`, `"2026-02-28"`, `"2026-02-28" is not a valid date-time; write a date and time, as in 2026-01-31T12:00:00Z`},
		{`"type":"string","format":"hostname"`, `"anything"`, ""},
		{`"type":"number","minimum":1.5`, `1.5`, ""},
		{`"type":"number","maximum":1`, `1.5`, `expected at most 1, got 1.5`},
		{`"type":"integer","minimum":0`, `-1`, `expected at least 0, got -1`},
		{`"type":"array","maxItems":1,"items":{"enum":["a","b"]}`, `["a","b"]`, `expected at most 1 item, got 2`},
		{`"type":"array","minItems":1,"items":{"anyOf":[{"const":"a","title":"A"}]}`, `[]`, `expected at least 1 item, got 0`},
		{`"type":"string","enum":["a"],"enumNames":["A"],"default":"a"`, `"A"`, `expected "a", got "A"`},
		{`"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"`, `"a"`, ""},
		{`"type":"boolean","default":true`, `false`, ""},
		{`"type":"number","default":95.5`, `1.5`, ""},
	} {
		t.Run(test.field+" "+test.value, func(t *testing.T) {
			is := is.New(t)
			f, err := form.Parse([]byte(`{"type":"object","properties":{"x":{` + test.field + `}}}`))
			is.NoErr(err)
			err = f.Check([]byte(`{"x":` + test.value + `}`))
			if test.why == "" {
				is.NoErr(err)
				return
			}
			is.Equal(err.Error(), "x: "+test.why) // EL-07
		})
	}
}

func TestFieldsAreInTheOrderOfTheSchema(t *testing.T) {
	is := is.New(t)
	f, err := form.Parse([]byte(`{"properties":{"b":{"type":"string"},"a":{"type":"boolean","default":null},"b":{"type":"number"}},"required":["b"]}`))
	is.NoErr(err)
	is.Equal(len(f.Fields), 2)
	is.Equal(f.Fields[0].Name, "b")
	is.Equal(f.Fields[0].Type, "number") // of a duplicate the last one counts
	is.True(f.Fields[0].Required)
	is.Equal(f.Fields[1].Default, nil) // null means no default
}

func TestASchemaForOtherThanObjectsIsRefused(t *testing.T) {
	for _, schema := range []string{``, `5`, `[]`, `{"type":"string"}`, `{"type":7,"properties":{}}`} {
		is := is.New(t)
		_, err := form.Parse(json.Value(schema))
		is.True(errors.Is(err, form.ErrSchema))
	}
}

func FuzzForms(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"x":{"type":"array","items":{"enum":[1,"a"]}}},"required":[1]}`), []byte(`{"x":["a",1e400]}`))
	f.Add([]byte(`{"properties":{"x":{"type":"integer","minimum":"1"}}}`), []byte(`{"x":1.0}`))
	f.Fuzz(func(t *testing.T, schema, content []byte) {
		if asked, err := form.Parse(schema); err == nil {
			_ = asked.Check(content)
		}
	})
}
