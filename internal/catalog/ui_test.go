package catalog

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/matryer/is"
)

func TestAToolWithAFolderCalledUIHasAnInterface(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- server.d/server.meta.json --
{"name": "my server"}
-- tools/weather/tool.sh --
-- tools/weather/ui/index.html --
<p>
-- tools/weather/ui/ui.meta.json --
{
  "title": "Weather", "description": "Shows it.",
  "meta": {"csp": {"connectDomains": ["https://x"]}, "permissions": {"camera": {}}, "prefersBorder": false, "sandboxDomain": "x.example"}
}
`)
	p := opened(t, root, Options{})
	tool := only(t, snapshot(t, p))
	is.Equal(string(tool.Meta), `{"ui":{"resourceUri":"ui://my-server/weather","visibility":["model","app"]}}`)
	r := only(t, all(t, p.Resources))
	size := int64(3)
	want := &Resource{
		Described: Described{Name: "weather", Title: "Weather", Description: "Shows it.",
			Meta: []byte(`{"ui":{"csp":{"connectDomains":["https://x"]},"permissions":{"camera":{}},"prefersBorder":false,"domain":"x.example"}}`), MetadataFile: filepath.Join(root, "tools", "weather", "ui", "ui.meta.json"), Metadata: r.Metadata}, URI: "ui://my-server/weather", MIMEType: "text/html;profile=mcp-app", Size: &size,
		Path:     filepath.Join(root, "tools", "weather", "ui", "index.html"),
		Provider: "ui", UI: &Interface{Tool: "weather"},
	}
	is.Equal(cmp.Diff(want, r, cmpopts.IgnoreUnexported(Resource{})), "") // every field
	found, err := p.Resource(t.Context(), "ui://my-server/weather")
	is.NoErr(err)
	is.Equal(found, tool.UI) // the same
	put(t, root, "server.d/server.meta.json", `{"name": "other"}`)
	is.Equal(all(t, p.Resources).Items[0].URI, "ui://other/weather") // it follows the name of the server
}

func TestTheAuthorOfAToolMayNameTheInterface(t *testing.T) {
	is := is.New(t)
	const meta = `{"ui":{"resourceUri":"ui://elsewhere/x"}}`
	tool := only(t, found(t, "-- tools/a/a.sh --\n# mcp: {\"_meta\": "+meta+"}\n-- tools/a/ui/index.html --\n"))
	is.Equal(string(tool.Meta), meta)
	tool = only(t, found(t,
		"-- server.d/server.meta.json --\n{\"name\":\"s\"}\n-- tools/a/a.sh --\n# mcp: {\"_meta\": {\"x\": [1]}}\n-- tools/a/ui/index.html --\n"))
	// beside what else there is
	is.Equal(string(tool.Meta), `{"x":[1],"ui":{"resourceUri":"ui://s/a","visibility":["model","app"]}}`)
}

func TestInterfacesOfTheirOwn(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, `
-- server.d/server.meta.json --
{"name": "s"}
-- ui/board/ui.meta.yaml --
name: The board
template: kanban
config: {columns: [a, b]}
-- ui/page/index.html --
-- ui/other/ui.meta.json --
{"entrypoint": "main.html"}
-- ui/other/main.html --
-- ui/empty/x.css --
-- ui/loose.html --
`), Options{})
	s := all(t, p.Resources)
	is.Equal(faults(s), "")
	is.Equal(names(s), "The board other page")
	is.Equal(s.Items[0].UI.Template+string(s.Items[0].UI.Config), `kanban{"columns":["a","b"]}`)
	is.Equal(s.Items[0].Path, "") // a page is to be made
	is.Equal(s.Items[0].URI, "ui://s/board")
	is.Equal(filepath.Base(s.Items[1].Path), "main.html")
	is.Equal(string(s.Items[2].Meta), `{"ui":{"permissions":{},"prefersBorder":true}}`)
}

func TestInterfacesThatAreWrong(t *testing.T) {
	const noPage = "entrypoint: index.html is missing; write one, or name a template"
	cases := []struct{ metadata, fault string }{
		{`{}`, noPage},
		{`{"template": "tabs"}`,
			`template: must be one of form, data-table, progress, diff-viewer, tree-view, kanban, not "tabs"`},
		{`{"entrypoint": "../x.html"}`, `entrypoint: must be a file in the same folder; write it as in "index.html"`},
		{`{"entrypoint": "gone.html"}`, `entrypoint: "gone.html" cannot be used: it is not a file in the same folder`},
		{`{"template": "form", "config": []}`, "config: must be an object, not an array"},
		{`{"template": "form", "config": {"fields": [{"label": "x"}]}}`, `config.fields.0: missing required property "name"`},
		{`{"template": "kanban", "config": {"columns": ["a", 5]}}`,
			"config.columns.1: expected object or string, got number 5"},
		{`{"template": "tabs", "config": {"columns": 1}}`,
			`template: must be one of form, data-table, progress, diff-viewer, tree-view, kanban, not "tabs"`},
		{`{"template": "form", "meta": {"csp": []}}`, "meta.csp: must be an object, not an array"},
		{`{"template": "form", "meta": {"prefersBorder": 1}}`, "meta.prefersBorder: must be true or false, not a number"},
	}
	for _, c := range cases {
		t.Run(c.metadata, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- ui/a/ui.meta.json --\n"+c.metadata+"\n-- tools/t/t.sh --\n-- tools/t/ui/ui.meta.json --\n"+c.metadata+"\n-- ui/x.html --\n")
			p := opened(t, root, Options{})
			s := all(t, p.Resources)
			without := func(s string) string { return strings.ReplaceAll(s, ":1", "") }
			left := strings.Contains(faults(s), noPage) // nothing that is needed is left
			is.True(strings.Contains(without(faults(s)), "ui/a/ui.meta.json: "+c.fault))
			is.Equal(names(s) == "", left) // otherwise the value alone is lost
			tools := snapshot(t, p)
			is.Equal(names(tools), "t") // a tool works without it
			is.True(strings.Contains(without(faults(tools)), "tools/t/ui/ui.meta.json: "+c.fault))
			is.True(tools.Faults[0].Warning)
			is.Equal(tools.Items[0].Meta == nil, left)
		})
	}
}

func TestARegisteredConfigIsCheckedToo(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- server.d/register.json --
{"version": 1,
 "resources": [
  {"name": "a", "uri": "ui://s/a",
   "ui": {"template": "kanban", "config": {"columns": []}}}
 ]}
`)
	s := all(t, opened(t, root, Options{}).Resources)
	is.True(strings.Contains(faults(s),
		"server.d/register.json:4: resources.0.ui.config.columns: expected at least 1 item, got 0"))
	put(t, root, "server.d/register.json",
		`{"version":1,"resources":[{"name":"a","uri":"ui://s/a","ui":{"template":"kanban","config":{"columns":["x"]},"tool":"t"}}]}`)
	r := only(t, all(t, opened(t, root, Options{}).Resources))
	is.Equal(cmp.Diff(&Interface{Template: "kanban", Config: []byte(`{"columns":["x"]}`), Tool: "t"}, r.UI), "")
}

func TestTheAddressOfAnInterfaceIsOneForAll(t *testing.T) {
	is := is.New(t)
	for server, want := range map[string]string{
		"shop.v2_~":  "ui://shop.v2_~/a",
		"My Server?": "ui://My-Server-/a",
		"50% #[é]":   "ui://50----%C3%A9-/a",
		"me@home:80": "ui://me-home-80/a",
	} {
		got := interfaceURI(server, "a")
		is.Equal(got, want)
		_, err := url.Parse(got)
		is.NoErr(err) // also for those who know no %20 in a host
	}
}

func TestTheConfigOfATemplateIsCheckedWhereItStands(t *testing.T) {
	is := is.New(t)
	s := all(t, opened(t, folderOf(t, `
-- ui/a/ui.meta.json --
{
  "template": "form",
  "config": {
    "fields": [
      {"name": "x"},
      {"name": "y",
       "type": "colour"}
    ],
    "submittool": "t"
  }
}
-- ui/b/ui.meta.yaml --
template: data-table
config:
  columns:
    - name
    - label: x
-- ui/c/ui.meta.json --
{"template": "form", "config": {"fields": 1}}
-- ui/c/index.html --
`), Options{}).Resources)
	is.Equal(names(s), "a b c") // what is wrong costs itself alone
	is.Equal(faults(s), strings.Join([]string{
		`ui/a/ui.meta.json:7: config.fields.1.type: expected one of "text", "email", "password", "number", "tel", "url", "date", "time", "textarea", "select", "checkbox", got "colour"`,
		`ui/a/ui.meta.json:9: config.submittool: is not a known field, so it has no effect; did you mean submitTool?`,
		`ui/b/ui.meta.yaml:5: config.columns.1: missing required property "key"`,
	}, "\n"))
}

func TestAnInterfaceMayNotLeadOutOfItsFolder(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- ui/a/x.css --\n-- secret.html --\n-- tools/t/t.sh --\n-- tools/t/ui/x.css --\n")
	link(t, root, "../../secret.html", "ui/a/index.html")
	link(t, root, "../../../secret.html", "tools/t/ui/index.html")
	p := opened(t, root, Options{})
	is.Equal(names(all(t, p.Resources)), "")
	is.True(snapshot(t, p).Items[0].UI == nil)
}

func TestAnInterfaceIsKeptUpWith(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/t/t.sh --\n-- tools/t/ui/x.css --\n-- resources/t.md --\n")
	settle(t, root)
	p := opened(t, root, Options{})
	is.Equal(names(all(t, p.Resources)), "t")
	put(t, root, "tools/t/ui/index.html", "")
	is.Equal(names(all(t, p.Resources)), "t tools/t/ui") // beside a resource of that name
	is.True(snapshot(t, p).Items[0].UI != nil)
	put(t, root, "tools/t/ui/ui.meta.json", `{"name":"x"}`)
	is.Equal(names(all(t, p.Resources)), "t x")
	is.NoErr(os.RemoveAll(filepath.Join(root, "tools", "t", "ui")))
	is.Equal(names(all(t, p.Resources)), "t")
	is.True(snapshot(t, p).Items[0].UI == nil)
}

func TestListsThatKnowNothingOfInterfacesHaveThemToo(t *testing.T) {
	const project = `
-- server.d/server.meta.json --
{"name": "s"}
-- tools/a/a.sh --
-- tools/a/ui/index.html --
-- ui/board/index.html --
-- resources/r.txt --
`
	const list = `[{"name": "listed", "uri": "x:1"}]`
	const own = `[{"name": "listed", "uri": "ui://s/own", "path": "../ui/board/index.html"}]`
	keeping := func(items string) string {
		return "-- .registry/resources.json --\n{\"format_version\": 1, \"items\": " + items + "}\n"
	}
	const byBash = "-- .registry/ui-resources.json --\n{}\n"
	for _, c := range []struct{ name, more, want string }{
		{"registered", "-- server.d/register.json --\n{\"version\": 1, \"resources\": " + list + "}\n", "a board listed"},
		{"registered with its own", "-- server.d/register.json --\n{\"version\": 1, \"resources\": " + own + "}\n", "listed"},
		{"kept by the Bash program", keeping(list) + byBash, "a board listed"},
		{"kept by us", keeping(list), "listed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			p := opened(t, folderOf(t, project+c.more), Options{Folders: Folders{Registry: ".registry"}, Static: true})
			is.Equal(names(all(t, p.Resources)), c.want)
		})
	}
}
