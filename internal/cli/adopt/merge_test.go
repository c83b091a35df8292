package adopt

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestWhatItsUserHasChangedStaysWhenTheOriginalHasChangedToo(t *testing.T) {
	for _, test := range []struct{ name, base, mine, theirs, want, kept string }{
		{"what only the original has changed is taken over", `{"a":1,"b":[1,2]}`, `{"a":1,"b":[1,2]}`, `{"a":2,"b":[1]}`, `{"a":2,"b":[1]}`, ""},
		{"what only the user has changed stays", `{"a":1}`, `{"a":2,"c":3}`, `{"a":1}`, `{"a":2,"c":3}`, ""},
		{"new members come last", `{"a":1}`, `{"c":3,"a":1}`, `{"b":2,"a":1}`, `{"c":3,"a":1,"b":2}`, ""},
		{"what the original has no more goes", `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1}`, ""},
		{"what the user has removed does not come back", `{"a":1,"b":2}`, `{"a":1}`, `{"a":3,"b":2}`, `{"a":3}`, ""},
		{"both have changed one value", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `{"a":{"b":3}}`, `{"a":{"b":2}}`, "/a/b"},
		{"both have made the same change", `{"a":1}`, `{"a":2}`, `{"a":2}`, `{"a":2}`, ""},
		{"both have added members", `{}`, `{"p":{"x":1}}`, `{"p":{"y":2}}`, `{"p":{"x":1,"y":2}}`, ""},
		{"an argument has another name, and a new one is before it", `{"argv":["{arg1}","{b}"]}`, `{"argv":["{file}","{b}"]}`,
			`{"argv":["{z?-z}","{arg1}","{b}"]}`, `{"argv":["{z?-z}","{file}","{b}"]}`, ""},
		{"both have changed one element", `{"argv":["{a}"]}`, `{"argv":["{file}"]}`, `{"argv":["{a?}"]}`, `{"argv":["{file}"]}`, "/argv"},
		{"a list has become empty", `{"required":["a"]}`, `{"required":["a"]}`, `{"required":[]}`, `{"required":[]}`, ""},
		{"elements of several words", `{"argv":[["-n","{n}"],"x"]}`, `{"argv":[["-n","{n}"],"x","y"]}`, `{"argv":["x"]}`, `{"argv":["x","y"]}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			is := is.New(t)
			text, kept, err := merged(json.Value(test.base), json.Value(test.mine), json.Value(test.theirs))
			is.NoErr(err)
			got := json.Value(text)
			is.NoErr(got.Compact())
			is.Equal(string(got), test.want)
			is.Equal(strings.Join(kept, " "), test.kept)
		})
	}
}

func TestMetadataThatStaysKeepsItsLayout(t *testing.T) {
	is := is.New(t)
	mine := "{\n\n \"a\" : 2 }\n"
	text, _, err := merged(json.Value(`{"a":1}`), json.Value(mine), json.Value(`{"a": 1}`))
	is.NoErr(err)
	is.Equal(string(text), mine)
	_, _, err = merged(json.Value(`{}`), json.Value("{"), json.Value(`{"a": 1}`))
	is.True(err != nil)
}
