package trace

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestAPatchNamesEachMemberAndElementThatChanged(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{`{"a":1,"b":[1,2],"c":null}`, `{"c":null,"b":[1,2],"a":1}`, ``},
		{`{"a":1,"b":{"c":2,"d":3}}`, `{"a":1,"b":{"c":4,"e":null}}`, `
			{"op":"replace","path":"/b/c","value":4}
			{"op":"remove","path":"/b/d"}
			{"op":"add","path":"/b/e","value":null}`},
		{`{"a/b":1,"c~d":1}`, `{"a/b":2}`, `
			{"op":"replace","path":"/a~1b","value":2}
			{"op":"remove","path":"/c~0d"}`},
		{`[1,2,{"a":3},4,5]`, `[0,2,{"a":true}]`, `
			{"op":"replace","path":"/0","value":0}
			{"op":"replace","path":"/2/a","value":true}
			{"op":"remove","path":"/3"}
			{"op":"remove","path":"/3"}`},
		{`{"a":[]}`, `{"a":["x",{"b":1}]}`, `
			{"op":"add","path":"/a/0","value":"x"}
			{"op":"add","path":"/a/1","value":{"b":1}}`},
		{`{"a":{},"b":[],"c":"1","d":1.0}`, `{"a":[],"b":{},"c":1,"d":1}`, `
			{"op":"replace","path":"/a","value":[]}
			{"op":"replace","path":"/b","value":{}}
			{"op":"replace","path":"/c","value":1}
			{"op":"replace","path":"/d","value":1}`},
		{`{"a":"<"}`, `{"a":"<&>"}`, `{"op":"replace","path":"/a","value":"<&>"}`},
		{`null`, `{"a":1}`, `{"op":"replace","path":"","value":{"a":1}}`},
	} {
		is := is.New(t)
		from, err := json.Exact([]byte(test.from))
		is.NoErr(err)
		to, err := json.Exact([]byte(test.to))
		is.NoErr(err)
		var p patch
		p.compare("", from, to)
		got := make([]string, len(p.operations))
		for i, o := range p.operations {
			got[i] = o.String()
		}
		is.Equal(strings.Join(got, "\n"), strings.ReplaceAll(strings.TrimSpace(test.want), "\t", ""))
	}
}

func TestAPatchStopsGrowing(t *testing.T) {
	is := is.New(t)
	const deep = 10_000 // as many as the decoder takes
	nested := func(leaf string) any {
		v, err := json.Exact([]byte(strings.Repeat(`{"b":`+leaf+`,"c":`, deep-1) + `{}` + strings.Repeat("}", deep-1)))
		is.NoErr(err)
		return v
	}
	var p patch
	p.compare("", nested("1"), nested("2"))
	is.True(p.size > maxPatch)
	is.True(len(p.operations) < 200)
	text, err := json.Marshal(p.operations)
	is.NoErr(err)
	is.True(len(text) < 2*maxPatch)

	p = patch{}
	p.compare("", make([]any, 100_000), []any{})
	is.True(len(p.operations) <= maxPatch)
}
