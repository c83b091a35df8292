//go:build attack

package attack

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// list returns a JSON array of n elements.
func list(n int, element func(i int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(element(i))
	}
	b.WriteByte(']')
	return b.String()
}

// expensive are schemas with arguments that take very long to validate.
var expensive = map[string]struct {
	schema    string
	arguments func() string
}{
	"anyOf": {
		`{"type":"object","properties":{"a":{"items":{"anyOf":` + list(200, func(i int) string { return `{"const":"` + strings.Repeat("c", 50) + strconv.Itoa(i) + `"}` }) + `}}}}`,
		func() string { return `{"a":` + list(800_000, func(int) string { return `"c"` }) + `}` },
	},
	"patternProperties": {
		`{"type":"object","patternProperties":{` + strings.Trim(list(300, func(i int) string { return fmt.Sprintf(`"^(a|b)*%d$":{"type":"string"}`, i) }), "[]") + `}}`,
		func() string {
			return "{" + strings.Trim(list(30_000, func(i int) string { return fmt.Sprintf(`"abababababab%d":1`, i) }), "[]") + "}"
		},
	},
	"uniqueItems": {
		`{"type":"object","properties":{"a":{"uniqueItems":true}}}`,
		func() string {
			return `{"a":` + list(300_000, func(i int) string { return fmt.Sprintf(`{"a":%d}`, i) }) + `}`
		},
	},
}

func TestArgumentsThatAreExpensiveToCheckHoldNobodyUp(t *testing.T) {
	for name, c := range expensive {
		t.Run(name, func(t *testing.T) {
			root := project(t, map[string]string{
				"tools/checked.sh":        honest,
				"tools/checked.meta.json": `{"name":"checked","timeoutSecs":2,"inputSchema":` + c.schema + `}`,
				"tools/endless.sh":        honest,
				"tools/endless.meta.json": `{"name":"endless","timeoutSecs":0,"inputSchema":` + c.schema + `}`,
			})
			s := start(t, root)
			arguments := c.arguments()
			s.call("1", "checked", arguments)
			s.pings()
			s.expect("1", `"isError":true|"error":|alive`) // an answer, within its limit
			s.call("2", "endless", arguments)
			s.pings()
			s.cancel("2")
			s.pings()
			s.works()
			s.call("3", "endless", arguments) // still checked at the end of input
			s.leaves(400)
		})
	}
}

func TestURITemplatesMatchInLittleTime(t *testing.T) {
	files := map[string]string{}
	for n := 2; n <= 16; n += 2 {
		variables := ""
		for i := range n {
			variables += fmt.Sprintf("{v%d*}", i)
		}
		name := fmt.Sprintf("resources/t%d", n)
		files[name+".meta.json"] = fmt.Sprintf(`{"name":"t%d","uriTemplate":"x%d://%s{/p*}{?q*}"}`, n, n, variables)
		files[name+".sh"] = honest
	}
	s := start(t, project(t, files))
	for n := 2; n <= 16; n += 2 {
		for i, tail := range []string{strings.Repeat(",", 1900), strings.Repeat("a,", 900) + "!", strings.Repeat("a=b,", 470), strings.Repeat("%2C", 600), strings.Repeat("a", 1_000_000)} {
			id := fmt.Sprintf(`"%d/%d"`, n, i)
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"resources/read","params":{"uri":"x%d://%s"}}`, id, n, tail))
		}
	}
	s.pings()
	for n := 2; n <= 16; n += 2 {
		for i := range 5 {
			s.expect(fmt.Sprintf(`"%d/%d"`, n, i), `"result":|"error":`)
		}
	}
	s.ends(150)
}

// runaways are filters that do not end, or not before they exhaust the memory.
var runaways = map[string]string{
	"loop":    `last(repeat(1))`,
	"range":   `[range(1e12)]|length`,
	"double":  `reduce range(60) as $_ ("x"; . + .)|length`,
	"arrays":  `reduce range(60) as $_ ([1]; . + .)|length`,
	"repeat":  `"x" * 1e10|length`,
	"recurse": `def f: 1 + f; f`,
	"join":    `[limit(1000000; repeat("xxxxxxxxxx"))] | reduce range(20) as $_ (.; . + .) | join(",") | length`,
	"regex":   `"` + strings.Repeat("a", 2000) + `b"|test("(a+)+$")`,
}

func TestARunawayFilterOfAToolHurtsNobody(t *testing.T) {
	for name, filter := range runaways {
		t.Run(name, func(t *testing.T) {
			s := start(t, project(t, map[string]string{"tools/filter.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_args_get '` + filter + `' && echo said || echo failed
`}))
			s.call("1", "filter", `{}`)
			s.pings()
			s.expect("1", `"id":1,"(result|error)":`)
			s.ends(1024) // it is stopped at 128 MiB more, but not within the step that doubles that
		})
	}
}

func TestTheJqOfTheProgramTakesAsLongAsItsInput(t *testing.T) {
	for _, c := range []struct{ filter, want string }{
		{`reduce range(10000) as $i ({}; .["k\($i)"] = $i) | length`, "10000\n"},
		{`reduce range(10000) as $i ([]; .[$i] = $i) | length`, "10000\n"},
		{`("a" * 3000 + "b") | test("(a+)+$")`, "false\n"},
		{`("a" * 3000 + "b") | test("(a|a)*b$")`, "true\n"},
	} {
		if out, code := run(t, 300, nil, "jq", "-n", c.filter); code != 0 || out != c.want {
			t.Errorf("%s: exit code %d: %s", c.filter, code, out)
		}
	}
}
