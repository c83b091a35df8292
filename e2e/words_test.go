package e2e

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// richest is a project with features of all revisions.
var richest = map[string]string{
	"server.d/server.meta.json": `{"name":"richest","title":"Richest","version":"1.0.0","description":"d","websiteUrl":"https://example.com","icons":[{"src":"https://example.com/i.png"}]}`,
	"tools/all/tool.meta.json":  `{"title":"All","description":"d","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"n":{"type":"integer"}},"properties":{"n":{"$ref":"#/$defs/n"}}},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"icons":[{"src":"https://example.com/i.png","theme":"dark"}],"_meta":{"example.com/x":1}}`,
	"tools/all/tool.sh": `#!/usr/bin/env bash
cat <<'END'
{"content":[
  {"type":"text","text":"text","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-01-31T10:00:00Z"},"_meta":{"a":1}},
  {"type":"image","data":"AAAA","mimeType":"image/png","_meta":{"a":1}},
  {"type":"audio","data":"AAAA","mimeType":"audio/wav"},
  {"type":"resource_link","uri":"file:///a","name":"a","title":"A","size":1,"icons":[{"src":"https://example.com/i.png"}]},
  {"type":"resource","resource":{"uri":"file:///b","text":"b","_meta":{"a":1}},"_meta":{"a":1}}
],"structuredContent":{"a":1},"_meta":{"example.com/x":1}}
END
`,
	"tools/tell/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_progress 1 "one" 2
mcp_log warning tell "careful"
echo told
`,
	"resources/a.txt":           "hello",
	"resources/a.txt.meta.json": `{"title":"A","description":"d","annotations":{"audience":["user"],"priority":1,"lastModified":"2025-01-31T10:00:00Z"},"icons":[{"src":"https://example.com/i.png"}],"_meta":{"a":1}}`,
	"resources/t.meta.json":     `{"name":"t","title":"T","uriTemplate":"db://{id}","annotations":{"priority":1,"lastModified":"2025-01-31T10:00:00Z"},"icons":[{"src":"https://example.com/i.png"}],"_meta":{"a":1}}`,
	"resources/t.sh":            "#!/bin/sh\nprintf hello\n",
	"prompts/p.sh": `#!/usr/bin/env bash
cat <<'END'
{"description":"d","messages":[
  {"role":"user","content":{"type":"text","text":"t","annotations":{"priority":1,"lastModified":"2025-01-31T10:00:00Z"},"_meta":{"a":1}}},
  {"role":"assistant","content":{"type":"audio","data":"AAAA","mimeType":"audio/wav"}},
  {"role":"user","content":{"type":"resource_link","uri":"file:///a","name":"a"}},
  {"role":"user","content":{"type":"resource","resource":{"uri":"file:///b","text":"b"}}}
]}
END
`,
	"prompts/p.meta.json": `{"title":"P","description":"d","arguments":[{"name":"a","title":"A","values":["x","y"]}],"icons":[{"src":"https://example.com/i.png"}],"_meta":{"a":1}}`,
}

// everyCall contains calls for all features of the richest project.
var everyCall = []struct{ method, params, shows string }{
	{"tools/list", "{}", `"name":"all"`},
	{"tools/call", `{"name":"all"}`, `"text":"text"`},
	{"tools/call", `{"name":"tell"}`, `told`},
	{"resources/list", "{}", `"name":"a"`},
	{"resources/templates/list", "{}", `"name":"t"`},
	{"resources/read", `{"name":"a"}`, `hello`},
	{"resources/read", `{"uri":"db://7"}`, `hello`},
	{"prompts/list", "{}", `"name":"p"`},
	{"prompts/get", `{"name":"p"}`, `"messages":[`},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`, `"values":["x","y"]`},
}

// The checks of start validate each line against its revision.
func TestASessionIsToldOnlyWhatItsRevisionKnows(t *testing.T) {
	t.Parallel()
	root := newProject(t, richest)
	for _, version := range sessions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			s := open(t, root, version, "{}")
			for _, c := range everyCall {
				got := s.ask(c.method, strings.TrimSuffix(c.params, "}")+member(c.params)+`"_meta":{"progressToken":"p"}}`)
				is.True(strings.HasPrefix(got, `"result":{`)) // it is served
				is.True(strings.Contains(got, c.shows))
			}
		})
	}
}

func TestACallOfItsOwnIsToldWhatItsRevisionKnows(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, newProject(t, richest))
	for _, c := range everyCall {
		got := s.ask(c.method, claimed(c.params, "{}", `,"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"`))
		is.True(strings.HasPrefix(got, `"result":{`))
		is.True(strings.Contains(got, c.shows))
	}
}

// member returns the separator between the members of an object and a further member.
func member(object string) string {
	if object == "{}" {
		return ""
	}
	return ","
}
