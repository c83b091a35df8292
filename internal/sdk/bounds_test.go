package sdk

import (
	"testing"

	"github.com/matryer/is"
)

func TestAnswersKeepTheBoundsOfTheForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ field, value, why string }{
		{`"type":"string","minLength":2,"maxLength":3`, `"éü"`, ""},
		{`"type":"string","minLength":2`, `"é"`, `"é" is below its minLength, 2`},
		{`"type":"string","maxLength":3`, `"äöüß"`, `"äöüß" is above its maxLength, 3`},
		{`"type":"string","format":"email"`, `"ada@example.com"`, ""},
		{`"type":"string","format":"email"`, `"ada"`, `"ada" is no email`},
		{`"type":"string","format":"uri"`, `"urn:x"`, ""},
		{`"type":"string","format":"uri"`, `"x"`, `"x" is no uri`},
		{`"type":"string","format":"date"`, `"2026-02-29"`, `"2026-02-29" is no date`},
		{`"type":"string","format":"date-time"`, `"2026-02-28T10:00:00.5Z"`, ""},
		{`"type":"string","format":"date-time"`, `"2026-02-28"`, `"2026-02-28" is no date-time`},
		{`"type":"string","format":"hostname"`, `"anything"`, ""},
		{`"type":"number","minimum":1.5`, `1.5`, ""},
		{`"type":"number","maximum":1`, `1.5`, `1.5 is above its maximum, 1`},
		{`"type":"integer","minimum":0`, `-1`, `-1 is below its minimum, 0`},
		{`"type":"array","maxItems":1,"items":{"enum":["a","b"]}`, `["a","b"]`, `["a","b"] is above its maxItems, 1`},
		{`"type":"array","minItems":1,"items":{"anyOf":[{"const":"a","title":"A"}]}`, `[]`, `[] is below its minItems, 1`},
		{`"type":"string","enum":["a"],"enumNames":["A"],"default":"a"`, `"A"`, `"A" is not one of [a]`},
		{`"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"`, `"a"`, ""},
		{`"type":"boolean","default":true`, `false`, ""},
		{`"type":"number","default":95.5`, `1.5`, ""},
	} {
		t.Run(test.field+" "+test.value, func(t *testing.T) {
			is := is.New(t)
			f, err := parseForm([]byte(`{"type":"object","properties":{"x":{` + test.field + `}}}`))
			is.NoErr(err)
			err = f.check([]byte(`{"x":` + test.value + `}`))
			if test.why == "" {
				is.NoErr(err)
				return
			}
			is.Equal(err.Error(), "x: "+test.why) // EL-07
		})
	}
}

// Every kind of field reaches the client as it was written (EL-04, EL-05).
func TestFormsReachTheClientAsTheyAre(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	const schema = `{"type":"object","properties":{` +
		`"name":{"type":"string","title":"Name","description":"who","minLength":1,"default":"John Doe"},` +
		`"age":{"type":"integer","default":30},"score":{"type":"number","default":95.50},"verified":{"type":"boolean","default":true},` +
		`"untitled":{"type":"string","enum":["a","b"],"default":"a"},` +
		`"titled":{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"},` +
		`"legacy":{"type":"string","enum":["a"],"enumNames":["A"],"default":"a"},` +
		`"many":{"type":"array","items":{"type":"string","enum":["a"]},"default":["a"]},` +
		`"titledMany":{"type":"array","minItems":1,"items":{"anyOf":[{"const":"a","title":"A"}]},"default":["a"]}},"required":["name"]}`
	c, asked := answering(`{"action":"decline"}`, nil)
	is.Equal(c.said("elicit 30", "Q?", schema), `{"action":"decline","content":null}`)
	is.Equal(*asked, `elicitation/create {"message":"Q?","requestedSchema":`+schema+`}`)
}
