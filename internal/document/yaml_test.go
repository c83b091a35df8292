package document

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	invopop "github.com/invopop/yaml"
	"github.com/matryer/is"
)

func TestYAMLBecomesTheJSONThatItsAuthorMeant(t *testing.T) {
	cases := []struct{ name, yaml, json string }{
		{"the order of keys", "b: 1\na: 2\n", `{"b":1,"a":2}`},
		{"words are no truth values", "a: [yes, no, on, off, y, n]", `{"a":["yes","no","on","off","y","n"]}`},
		{"but as keys neither", "y: 1\non: 2\n", `{"y":1,"on":2}`},
		{"truth values", "a: [true, False, TRUE]", `{"a":[true,false,true]}`},
		{"nothing", "a: [~, null, ]\nb:\n", `{"a":[null,null],"b":null}`},
		{"numbers as written", "a: [1, 1.0, 1.20, 1e3, -0.5, 123456789012345678901234567890]",
			`{"a":[1,1.0,1.20,1e3,-0.5,123456789012345678901234567890]}`},
		{"numbers that JSON writes in another way", "a: [+1, 0x1F, 0o17, 0b11, 1_000, .5, 1.]",
			`{"a":[1,31,15,3,1000,0.5,1]}`},
		{"numbers in quotes", `a: ["1", '2']`, `{"a":["1","2"]}`},
		{"dates", "a: 2024-01-02\nb: 2024-01-02T03:04:05Z\n", `{"a":"2024-01-02","b":"2024-01-02T03:04:05Z"}`},
		{"keys that look like something else", "1: a\ntrue: b\n1.10: c\n", `{"1":"a","true":"b","1.10":"c"}`},
		{"text over lines", "a: |\n  x\n  y\nb: >\n  x\n  y\n", `{"a":"x\ny\n","b":"x y\n"}`},
		{"aliases", "a: &x {k: 1}\nb: [*x, *x]\n", `{"a":{"k":1},"b":[{"k":1},{"k":1}]}`},
		{"JSON", `{"a": [1, "é\n"], "b": {}}`, `{"a":[1,"é\n"],"b":{}}`},
		{"numbers with leading zeros", "a: [012, -08, 0644]", `{"a":[12,-8,644]}`},
		{"a later version", "# x\n%YAML 1.2\n---\na: 012\n", `{"a":12}`},
		{"merges", "a: &a {k: 1, l: 2}\nb:\n  <<: *a\n  l: 3\nc:\n  <<: [{m: 4}, *a]\n",
			`{"a":{"k":1,"l":2},"b":{"l":3,"k":1},"c":{"m":4,"k":1,"l":2}}`},
		{"merges of merges", "a: &a {k: 1}\nb: &b {<<: *a, l: 2}\nc: {<<: *b}",
			`{"a":{"k":1},"b":{"l":2,"k":1},"c":{"l":2,"k":1}}`},
		{"a date by tag", "a: !!str 2024-01-02\nb: !!str 1\n", `{"a":"2024-01-02","b":"1"}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			d, fault := YAML("x.yaml", []byte(c.yaml), []string{"inputSchema"})
			is.Equal(fault, nil)
			is.Equal(string(d.JSON), c.json) // the JSON
		})
	}
}

func TestAValueThatJSONCannotHaveCostsNothingElse(t *testing.T) {
	cases := []struct{ name, yaml, fault string }{
		{"own tags", "a:\n - !mine x\n", ":2: a.0: the tag !mine is not supported; remove it"},
		{"own tags of mappings", "a: !mine {x: 1}\n", ":1: a: the tag !mine is not supported; remove it"},
		{"bytes", "a: !!binary aGVsbG8=\n", ":1: a: the tag !!binary is not supported; remove it"},
		{"sets", "a: !!set {x}\n", ":1: a: the tag !!set is not supported; remove it"},
		{"lists that are none", "a: !!omap [x]\n", ":1: a: the tag !!omap is not supported; remove it"},
		{"words forced to be truth values", "a: !!bool yes\n", ":1: a: the tag !!bool is not supported; remove it"},
		{"infinity", "\na: .inf\n", ":2: a: .inf is not a number in JSON; put it in quotes to make it a string"},
		{"no number", "a: .nan\n", ":1: a: .nan is not a number in JSON; put it in quotes to make it a string"},
		{"words forced to be numbers", "a: !!int x\n",
			":1: a: x is not a number in JSON; put it in quotes to make it a string"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			d, fault := YAML("x", []byte(c.yaml+"b: [1, .nan, 2]\n"), []string{"inputSchema"})
			is.Equal(fault, nil)
			is.Equal(d.Lost[0].String(), "x"+c.fault) // the line, and what to do
			is.True(d.Lost[0].Warning)
			is.True(strings.HasSuffix(string(d.JSON), `"b":[1,2]}`))
			is.True(json.Valid(d.JSON))
		})
	}
}

func TestYAMLThatGrowsIsRefusedInTime(t *testing.T) {
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 10; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	cases := []struct{ name, yaml string }{
		{"a billion laughs", laughs},
		{"a large value many times", "a: &a " + strings.Repeat("x", 60_000) + "\nb: [" + strings.Repeat("*a,", 10_000) +
			"*a]\n"},
		{"an alias of itself, twice", "a: &x [*x,*x]\n"},
		{"open brackets", strings.Repeat("[", 100_000)},
		{"open braces", strings.Repeat("{a: ", 30_000)},
		{"many aliases of what is left out", "a: &a !!binary eA==\nb: &b [" + strings.Repeat("*a,", 20_000) + "*a]\nc: [" +
			strings.Repeat("*b,", 20_000) + "*b]\n"},
		{"a merge of itself", "a: &a [" + strings.Repeat("*a,", 20_000) + "*a]\n<<: *a\n"},
		{"many merges of nothing", "a: &a []\n<<: [" + strings.Repeat("*a,", 30_000) + "*a]\n"},
		{"many small aliases", "a: &a []\nb: &b [" + strings.Repeat("*a,", 20_000) + "*a]\nc: [" +
			strings.Repeat("*b,", 20_000) + "*b]\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			began := time.Now()
			_, fault := YAML("x.yaml", []byte(c.yaml), []string{"inputSchema"})
			is.True(fault != nil)                       // it is refused
			is.True(time.Since(began) < 10*time.Second) // soon: it takes some 0.1 s
		})
	}
}

// What a plain YAML decoder makes of a document is what ours makes of it, but for numbers, dates
// and keys that the other spells anew.
func TestYAMLMeansWhatOthersReadInIt(t *testing.T) {
	is := is.New(t)
	text := []byte(`
name: greet
description: >-
  Says hello,
  in a few languages.
inputSchema: &schema
  type: object
  properties:
    "name": {type: string, minLength: 1}
    'times': {type: integer, default: 3}
  required: [name]
outputSchema: *schema
annotations: {readOnlyHint: true, title: "Greet\tpeople"}
icons: []
env:
  A: "1"
  B: |
    two
    lines
`)
	theirs, err := invopop.YAMLToJSON(text)
	is.NoErr(err)
	ours, fault := YAML("x.yaml", text, []string{"inputSchema"})
	is.Equal(fault, nil)
	var a, b any
	is.NoErr(json.Unmarshal(theirs, &a))
	is.NoErr(json.Unmarshal(ours.JSON, &b))
	is.Equal(cmp.Diff(a, b), "")
}
