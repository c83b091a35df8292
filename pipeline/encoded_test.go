package pipeline_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

func TestWhatWasEncodedStaysWhenMoreIsEncoded(t *testing.T) {
	is := is.New(t)
	first, err := pipeline.Encode(map[string]string{"a": strings.Repeat("x", 1000)})
	is.NoErr(err)
	before := string(first.Bytes())
	for range 100 {
		_, err := pipeline.Encode(map[string]string{"b": strings.Repeat("y", 2000)})
		is.NoErr(err)
	}
	is.Equal(string(first.Bytes()), before)
}

func TestMergedObjectsAreAnsweredAsOne(t *testing.T) {
	for _, c := range []struct {
		name, want string
		parts      []any
	}{
		{"two objects", `{"a":1,"b":[2]}`, []any{map[string]int{"a": 1}, map[string][]int{"b": {2}}}},
		{"an empty one between", `{"a":1,"b":2}`, []any{map[string]int{"a": 1}, struct{}{}, map[string]int{"b": 2}}},
		{"an empty one first", `{"b":2}`, []any{struct{}{}, map[string]int{"b": 2}}},
		{"only empty ones", `{}`, []any{struct{}{}, struct{}{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			var merged pipeline.Encoded // the zero value is an empty object too
			for _, part := range c.parts {
				encoded, err := pipeline.Encode(part)
				is.NoErr(err)
				merged = merged.Merge(encoded)
			}
			answer, err := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`)).Answer(merged)
			is.NoErr(err)
			is.Equal(string(answer.Line()), `{"jsonrpc":"2.0","id":1,"result":`+c.want+`}`)
			is.True(answer.Encoded()) // it is not checked again
		})
	}
}
