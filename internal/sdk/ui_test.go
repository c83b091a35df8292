package sdk

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
)

func TestUserInterfaces(t *testing.T) {
	is := is.New(t)
	ui := func(capability string) bool { return capability == "ui" }
	is.Equal(channelOf(Call{Supports: ui}).printed("client_supports_ui"), "code 0")
	is.Equal(channelOf(Call{}).printed("client_supports_ui"), "code 1")
	c := channelOf(Call{})
	runOps(t, c, []opTest{
		{"result_with_ui ui://s/own", []string{"ui://s/x", "text"},
			`{"content":[{"type":"text","text":"text"}],"isError":false,"_meta":{"ui":{"resourceUri":"ui://s/x"}}}`},
		{"result_with_ui ui://s/own", []string{"", "text"},
			`{"content":[{"type":"text","text":"text"}],"isError":false,"_meta":{"ui":{"resourceUri":"ui://s/own"}}}`},
		{"result_with_ui ", []string{"", "text"}, `{"content":[{"type":"text","text":"text"}],"isError":false}`},
		{"result_with_ui ", []string{"ui://s/x", "text", `{"a": 1}`},
			`{"content":[{"type":"text","text":"text"}],"structuredContent":{"a":1},"isError":false,` +
				`"_meta":{"ui":{"resourceUri":"ui://s/x"}}}`},
		{"result_with_ui ", []string{"http://x", "text"},
			`code 1: "http://x" is not the URI of a user interface; it must begin with ui://`},
		{"result_with_ui ", []string{"ui://x", "text", "[1]"}, `code 1: the data is not a JSON object`},
		{"result_with_ui_data ", []string{"ui://x", "ten rows", `{"rows":[1]}`},
			`{"content":[{"type":"text","text":"ten rows"}],"structuredContent":{"rows":[1]},"isError":false,` +
				`"_meta":{"ui":{"resourceUri":"ui://x"}}}`},
		{"result_with_ui_data ", []string{"ui://x", "[1]"}, `code 1: requires a URI, a text and a JSON object`},
		{"tool_meta_with_ui", []string{"ui://x"}, `{"ui":{"resourceUri":"ui://x","visibility":["model","app"]}}`},
		{"tool_meta_with_ui", []string{"ui://x", "app"}, `{"ui":{"resourceUri":"ui://x","visibility":["app"]}}`},
		{"tool_meta_with_ui", []string{"ui://x", `["model"]`}, `{"ui":{"resourceUri":"ui://x","visibility":["model"]}}`},
		{"tool_meta_with_ui", []string{"ui://x", "all"}, `code 1: unknown visibility "all"; use model, app, or model,app`},
		{"ui_table", []string{"{}"}, `code 1: a table needs {"rows":[...]}`},
		{"ui_form", []string{`{"fields":[{}]}`}, `code 1: fields.0: missing required property "name"`},
		{"ui_form", []string{`{"fields":[{"name":"a","type":"color"}]}`},
			`code 1: fields.0.type: expected one of "text", "email", "password", "number", "tel", "url", "date", ` +
				`"time", "textarea", "select", "checkbox", got "color"`},
		{"ui_table", []string{`{"rows":[],"columns":[{}]}`}, `code 1: columns.0: missing required property "key"`},
	})
	for _, test := range []struct{ op, given, template, config string }{
		{"ui_table", `{"title":"<b>","rows":[{"a":"<script>","b":2.0},{"b":null,"a":"é"}]}`, "data-table",
			`{"title":"<b>","data":[{"a":"<script>","b":2.0},{"b":null,"a":"é"}]}`},
		{"ui_table", `{"columns":["b","a"],"rows":[{"a":1,"b":2}],"pageSize":5}`, "data-table",
			`{"columns":["b","a"],"pageSize":5,"data":[{"a":1,"b":2}]}`},
		{"ui_table", `{"columns":["x","x"],"rows":[[1,2],{"x":3},"odd"]}`, "data-table",
			`{"columns":[{"key":"0","label":"x","sortable":true},{"key":"1","label":"x","sortable":true}],"data":[[1,` +
				`2],[3,3],"odd"]}`},
		{"ui_form",
			`{"title":"T","submit":"Go","tool":"</script>x","fields":[{"name":"a\"b","required":true},{"name":"c",` +
				`"type":"boolean","value":true},{"name":"d","options":["x","<y>"]},{"name":"e","type":"textarea",` +
				`"value":"</textarea>"},{"name":"f","type":"integer","value":null},{"name":"g","type":"string"}]}`, "form",
			`{"title":"T","fields":[{"name":"a\"b","required":true},{"name":"c","type":"checkbox","default":true},` +
				`{"name":"d","options":["x","<y>"],"type":"select"},{"name":"e","type":"textarea",` +
				`"default":"</textarea>"},{"name":"f","type":"number","step":1},{"name":"g","type":"text"}],` +
				`"submitTool":"</script>x","submitLabel":"Go"}`},
	} {
		page, err := uipage.Page(test.template, "", []byte(test.config))
		is.NoErr(err)
		is.Equal(c.printed(test.op, test.given), strings.TrimSuffix(string(page), "\n")) // only the page of the template
	}
}
