package sdk

import (
	"testing"

	"github.com/matryer/is"
)

// Every kind of field reaches the client unchanged (EL-04, EL-05).
func TestFormsReachTheClientUnchanged(t *testing.T) {
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
	is.Equal(c.printed("elicit 30", "Q?", schema), `{"action":"decline","content":null}`)
	is.Equal(*asked, `elicitation/create {"message":"Q?","requestedSchema":`+schema+`}`)
}
