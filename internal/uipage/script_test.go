package uipage

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// The scripts of the pages run in a frame that testdata/dom.mjs imitates; what they must do there,
// and what the host around them is like, the files in testdata say.
func TestThePagesSpeakWithTheirHost(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, so the pages' scripts cannot run")
	}
	cases := []struct{ test, template, title, config string }{
		{"alone", "tree-view", "", `{"data":["by itself"]}`},
		{"handshake", "data-table", "Users", `{"columns":["id","name"]}`},
		{"refused", "form", "", `{"submitTool":"greet","submitLabel":"Send"}`},
		{"form", "form", "", `{
			"fields":[
				{"name":"name","label":"Name","required":true,"description":"Who you are"},
				{"name":"age","type":"number","default":30},
				{"name":"agreed","type":"checkbox","label":"Agreed","default":"true"},
				{"name":"size","type":"select","options":["small",{"value":2,"label":"large"}]},
				{"name":"note","type":"textarea"}],
			"submitTool":"greet","submitArgs":{"source":"form"},"submitLabel":"Greet","cancelable":true}`},
		{"schema-form", "form", "", `{}`},
		{"data-table", "data-table", "", `{
			"columns":[{"key":"id","label":"Id","sortable":true},"name"],"pageSize":2,"empty":"Nobody yet.",
			"data":[{"id":1,"name":"from the config"}]}`},
		{"progress", "progress", "", `{"cancelTool":"stop","cancelArgs":{"force":true}}`},
		{"diff-viewer", "diff-viewer", "", `{"leftTitle":"Before","rightTitle":"After"}`},
		{"tree-view", "tree-view", "", `{"onSelectTool":"open"}`},
		{"kanban", "kanban", "", `{"columns":[{"id":"todo","title":"To do"},"done"],"onMoveTool":"move","onCardClickTool":"card"}`},
	}
	for _, c := range cases {
		t.Run(c.test, func(t *testing.T) {
			is := is.New(t)
			page, err := Page(c.template, c.title, []byte(c.config))
			is.NoErr(err)
			cmd := exec.Command(node, "testdata/run.mjs", c.test)
			cmd.Stdin = strings.NewReader(string(page))
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != "ok\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
