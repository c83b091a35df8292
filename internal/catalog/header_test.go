package catalog

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestHeadersOfArgumentsThatClientsRefuseAreWarnedOf(t *testing.T) {
	for schema, fault := range map[string]string{
		`{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"object","properties":{"c":{"type":"integer","x-mcp-header":"Depth"}}}}}`: "",
		`{"properties":{"x-mcp-header":{"type":"string"}}}`:                                                            "",
		`{"properties":{"a":{"type":"string","default":{"x-mcp-header":5}}}}`:                                          "",
		`{"properties":{"a":{"type":"string","x-mcp-header":"my region"}}}`:                                            "properties.a.x-mcp-header: must be the name of a header",
		`{"properties":{"a":{"type":"string","x-mcp-header":5}}}`:                                                      "properties.a.x-mcp-header: must be the name of a header",
		`{"properties":{"a":{"type":"number","x-mcp-header":"N"}}}`:                                                    "properties.a.x-mcp-header: must be on an integer, a string or a boolean",
		`{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"region"}}}`: `properties.b.x-mcp-header: names the header "region" a second time`,
		`{"x-mcp-header":"All"}`: "x-mcp-header: must be on an argument, or on one inside of it",
		`{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"Each"}}}}`: "properties.a.items.x-mcp-header: must be on an argument, or on one inside of it",
		`{"$defs":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"B"}}}}}`:             "$defs.a.properties.b.x-mcp-header: must be on an argument, or on one inside of it",
		`{"anyOf":[{"properties":{"b":{"type":"string","x-mcp-header":"B"}}}]}`:                 "anyOf.0.properties.b.x-mcp-header: must be on an argument, or on one inside of it",
	} {
		t.Run(schema, func(t *testing.T) {
			is := is.New(t)
			schema := `{"type":"object","properties":{},` + schema[1:]
			schema = strings.Replace(schema, `"properties":{},"properties"`, `"properties"`, 1)
			tools := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"inputSchema\":"+schema+"}\n")
			is.Equal(string(tools.Items[0].InputSchema), schema) // T-20: it stays as it is
			want := ""
			if fault != "" {
				want = "tools/a.meta.json:1: inputSchema." + fault + "; clients over HTTP refuse the tool"
			}
			is.Equal(strings.TrimSpace(faults(tools)), want) // T-31
		})
	}
}
