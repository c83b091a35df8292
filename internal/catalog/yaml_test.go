package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
)

func TestYAMLThatCannotBecomeJSON(t *testing.T) {
	cases := []struct{ name, yaml, fault string }{
		{"several documents", "a: 1\n---\nb: 2\n",
			":2: contains more than one YAML document; remove what follows the line ---"},
		{"a key twice", "a: 1\nb: 2\na: 3\n", `:3: the key "a" is a duplicate; keep one of the two`},
		{"a key that is a list", "? [a]\n: 1\n", ":1: a key must be a plain name"},
		{"an alias of itself", "a: &x [*x]\n", ":1: is nested too deep; use at most 64 levels"},
		{"deep", "a: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), ":1: is nested too deep; use at most 64 levels"},
		{"many keys", manyKeys(2001), ":1: has more than 2000 keys in one mapping"},
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
		{"bytes that are not UTF-8", "\na: \xff\n", ":2: is not valid YAML: a byte that is not UTF-8; save it as UTF-8"},
		{"nothing", "# only a comment\n", ":1: is empty; begin with a field, such as description, or remove the file"},
		{"a list", "- a\n", ":1: must be an object; begin with a field, such as description"},
		{"a word", "hello\n", ":1: must be an object; begin with a field, such as description"},
		{"too much", "a: " + strings.Repeat("a", document.YAMLBytes), ": is larger than 128 KiB"},
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

func TestAnInterceptorOfWhichAPartCannotBeReadIsNotOneThatLetsMorePass(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- interceptors/lim/interceptor.meta.yaml --\ntype: validation\n"+
		"hooks: [{events: [tools/call], phase: request}]\njq: \"true\"\nconfig:\n  deny: [a, !!binary aGVsbG8=]\n")
	found := all(t, opened(t, root, Options{}).Interceptors)
	is.Equal(len(found.Items), 0)
	is.True(!found.Faults[0].Warning) // so the server refuses what it would have seen
	is.Equal(found.Faults[0].String(),
		"interceptors/lim/interceptor.meta.yaml:5: the tag !!binary is not supported; remove it")
}
