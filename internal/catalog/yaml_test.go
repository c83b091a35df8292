package catalog

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
			d, fault := yamlDocument("x.yaml", []byte(c.yaml))
			is.Equal(fault, nil)
			is.Equal(string(d.json), c.json) // the JSON
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
			d, fault := yamlDocument("x", []byte(c.yaml+"b: [1, .nan, 2]\n"))
			is.Equal(fault, nil)
			is.Equal(d.lost[0].String(), "x"+c.fault) // the line, and what to do
			is.True(d.lost[0].Warning)
			is.True(strings.HasSuffix(string(d.json), `"b":[1,2]}`))
			is.True(json.Valid(d.json))
		})
	}
}

func TestYAMLThatCannotBecomeJSON(t *testing.T) {
	cases := []struct{ name, yaml, fault string }{
		{"several documents", "a: 1\n---\nb: 2\n",
			":2: contains more than one YAML document; remove what follows the line ---"},
		{"a key twice", "a: 1\nb: 2\na: 3\n", `:3: the key "a" is a duplicate; keep one of the two`},
		{"a key that is no name", "? [a]\n: 1\n", ":1: a key must be a plain name"},
		{"an alias of itself", "a: &x [*x]\n", ":1: is nested too deep; use at most 64 levels"},
		{"deep", "a: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), ":1: is nested too deep; use at most 64 levels"},
		{"many keys", manyKeys(yamlKeys + 1), ":1: has more than 2000 keys in one mapping"},
		{"a merge of itself", "a: &x {<<: *x}\n", ":1: is nested too deep; use at most 64 levels"},
		{"a bad value of what restricts", "a: 1\ninputSchema: {properties: {a: {minimum: .inf}}}\n",
			":2: .inf is not a number in JSON; put it in quotes to make it a string"},
		{"tabs", "a:\n\t- x\n",
			":2: is not valid YAML: found character that cannot start any token; indent with blanks, not with tabs, and quote what begins with a sign"},
		{"an open list", "a: 1\nb: [1\nc: 2\n", ":2: is not valid YAML: did not find expected ',' or ']'"},
		{"a list among keys", "x: 1\n- b\n", ":2: is not valid YAML: did not find expected key"},
		{"two colons", "a: 1\nb: c: d\n", ":2: is not valid YAML: mapping values are not allowed in this context"},
		{"two colons at once", "b: c: d\n", ":1: is not valid YAML: mapping values are not allowed in this context"},
		{"more behind it", "a: 1\n---\n]\n", ":3: is not valid YAML: did not find expected node content"},
		{"an alias of nothing", "a: *x\n", ": is not valid YAML: unknown anchor 'x' referenced"},
		{"control characters", "\n\na: \x01\n", ":3: is not valid YAML: a byte that is not UTF-8; save it as UTF-8"},
		{"bytes that are no text", "\na: \xff\n", ":2: is not valid YAML: a byte that is not UTF-8; save it as UTF-8"},
		{"nothing", "# only a comment\n", ":1: is empty; begin with a field, such as description, or remove the file"},
		{"a list", "- a\n", ":1: must be an object; begin with a field, such as description"},
		{"a word", "hello\n", ":1: must be an object; begin with a field, such as description"},
		{"too much", "a: " + strings.Repeat("a", yamlBytes), ": is larger than 128 KiB"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- tools/a.sh --\n")
			put(t, root, "tools/a.meta.yaml", c.yaml)
			s := snapshot(t, opened(t, root, Options{}))
			is.Equal(faults(s), "tools/a.meta.yaml"+c.fault) // the line, and what to do
			is.Equal(names(s), "")                           // it is left out
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

func TestFaultsOfYAMLFieldsHaveItsLines(t *testing.T) {
	is := is.New(t)
	s := found(t, `
-- tools/a.sh --
-- tools/a.meta.yaml --
# a comment
title: x

description:
  - not
  - text
annotations:

  readOnlyHint: yes
env: {A: b,
  B: 1.10}
time_out: 1
inputSchema:
  type: object
  properties:
    city: {type: string}
`)
	is.Equal(faults(s), strings.TrimSpace(`
tools/a.meta.yaml:4: description: must be a string, not an array
tools/a.meta.yaml:9: annotations.readOnlyHint: must be true or false, not a string; write true or false, without quotes
tools/a.meta.yaml:11: env.B: must be a string, not a number; write "1.10"
tools/a.meta.yaml:12: time_out: is not a known field, so it has no effect; did you mean timeoutSecs?`))
}

func TestASchemaInYAMLIsTheSameAsInJSON(t *testing.T) {
	is := is.New(t)
	tool := only(t, found(t, `
-- tools/a.sh --
-- tools/a.meta.yml --
inputSchema:
  type: object
  properties:
    y: {type: number, default: 1.10, maximum: 100000000000000000000}
  required: [y]
`))
	is.Equal(string(tool.InputSchema),
		`{"type":"object","properties":{"y":{"type":"number","default":1.10,"maximum":100000000000000000000}},"required":["y"]}`)
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
			_, fault := yamlDocument("x.yaml", []byte(c.yaml))
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
	ours, fault := yamlDocument("x.yaml", text)
	is.Equal(fault, nil)
	var a, b any
	is.NoErr(json.Unmarshal(theirs, &a))
	is.NoErr(json.Unmarshal(ours.json, &b))
	is.Equal(cmp.Diff(a, b), "")
}
