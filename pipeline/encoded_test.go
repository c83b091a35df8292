package pipeline_test

import (
	"context"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
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
	long := strings.Repeat("long ", 1000) // it is not copied before it is written
	for _, c := range []struct {
		name, want string
		parts      []any
	}{
		{"two objects", `{"a":1,"b":[2]}`, []any{map[string]int{"a": 1}, map[string][]int{"b": {2}}}},
		{"an empty one between", `{"a":1,"b":2}`, []any{map[string]int{"a": 1}, struct{}{}, map[string]int{"b": 2}}},
		{"an empty one first", `{"b":2}`, []any{struct{}{}, map[string]int{"b": 2}}},
		{"only empty ones", `{}`, []any{struct{}{}, struct{}{}}},
		{"a long one", `{"a":"` + long + `"}`, []any{map[string]string{"a": long}}},
		{"a long one and another", `{"a":"` + long + `","b":2}`, []any{map[string]string{"a": long}, map[string]int{"b": 2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			var merged pipeline.Encoded // the zero value is an empty object too
			for _, part := range c.parts {
				encoded, err := pipeline.Encode(part)
				is.NoErr(err)
				merged = merged.Merge(encoded)
			}
			var answer *pipeline.Message
			written := pipetest.Chain(t, nil, func(_ context.Context, m *pipeline.Message) (_ *pipeline.Message, err error) {
				answer, err = m.Answer(merged)
				return answer, err
			}, pipetest.Call(1, "x", ""))
			line := `{"jsonrpc":"2.0","id":1,"result":` + c.want + `}`
			is.Equal(written, []string{line})
			is.Equal(string(answer.Line()), line)
			is.Equal(answer.Size(), len(line))
			is.Equal(string(answer.Result()), c.want)
			is.True(answer.Encoded()) // it is not checked again
		})
	}
}
