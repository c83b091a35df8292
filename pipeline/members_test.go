package pipeline_test

import (
	"encoding/json"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

func TestOneMemberChangesAndAllElseStaysAsItWasWritten(t *testing.T) {
	for _, c := range []struct{ object, name, value, want string }{
		{`{}`, "a", `1`, `{"a":1}`},
		{``, "a", `1`, `{"a":1}`},
		{` { } `, "a", `1`, ` { "a":1} `},
		{`{"b": 1.0, "a" : [1, 2] ,"c":"<\u003c"}`, "a", `{}`, `{"b": 1.0, "a" : {} ,"c":"<\u003c"}`},
		{`{"b": 1.0 }`, "a", `{}`, `{"b": 1.0 ,"a":{}}`},
		{`{"\u0061":1}`, "a", `2`, `{"\u0061":2}`},
		{`{"a":1,"a":2}`, "a", `3`, `{"a":1,"a":3}`},
		{`{"x":{"a":1}}`, "a", `2`, `{"x":{"a":1},"a":2}`}, // not a nested one
		{`{"a":null}`, "a\"", `2`, `{"a":null,"a\"":2}`},
	} {
		is := is.New(t)
		got, err := pipeline.SetMember(json.RawMessage(c.object), c.name, json.RawMessage(c.value))
		is.NoErr(err)
		is.Equal(string(got), c.want)
		is.Equal(string(pipeline.Member(got, c.name)), c.value) // now it is set
	}
}

func TestMembersCanBeSetInObjectsOnly(t *testing.T) {
	for _, object := range []string{`[]`, `5`, `null`, `{"a"`, `{"a":1`, `x`, `{"b":1,}`} {
		is := is.New(t)
		_, err := pipeline.SetMember(json.RawMessage(object), "a", 1)
		is.True(err != nil)
		is.True(pipeline.Member(json.RawMessage(object), "b") == nil) // and none is set
	}
}

func TestAMissingMemberIsNil(t *testing.T) {
	is := is.New(t)
	is.True(pipeline.Member(json.RawMessage(`{"a":1}`), "b") == nil)
	is.Equal(string(pipeline.Member(json.RawMessage(`{"a": null}`), "a")), "null") // unlike a null member
}

func TestOtherParamsMakeTheSameCall(t *testing.T) {
	is := is.New(t)
	m := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":"\u0061","method":"x","params":{"a":1}}`))
	with, err := m.WithParams(json.RawMessage(`{"a":2}`))
	is.NoErr(err)
	is.Equal(string(with.Line()), `{"jsonrpc":"2.0","id":"\u0061","method":"x","params":{"a":2}}`)
	without, err := m.WithParams(nil)
	is.NoErr(err)
	is.Equal(string(without.Line()), `{"jsonrpc":"2.0","id":"\u0061","method":"x"}`)
	_, err = pipeline.Parse([]byte(pong1)).WithParams(nil)
	is.True(err != nil) // responses have no params
}
