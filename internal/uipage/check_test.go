package uipage

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestValidConfigs(t *testing.T) {
	for _, c := range []struct{ template, config string }{
		{"form", ""},
		{"form", `{"title":"T","description":"D","fields":[{"name":"a","type":"select","label":"A","required":true,"placeholder":"p","default":"x","options":["x",2,{"value":"y","label":"Y"}]}],"submitTool":"t","submitArgs":{"a":1},"cancelable":true}`},
		{"data-table", `{"columns":[{"key":"id","label":"ID","sortable":true},"name"],"pageSize":1000}`},
		{"progress", `{"showPercentage":true,"showCurrentStep":false,"cancelTool":"t","cancelConfirm":"Sure?"}`},
		{"diff-viewer", `{"viewMode":"unified","showLineNumbers":false,"syntaxHighlight":true,"leftTitle":"a","rightTitle":"b"}`},
		{"tree-view", `{"showIcons":true,"expandLevel":2,"selectable":true,"onSelectTool":"t"}`},
		{"kanban", `{"columns":["a",{"id":"b","title":"B"}],"draggable":false,"onMoveTool":"t","onCardClickTool":"u"}`},
		{"tree-view", `{"columns":5,"Fields":5,"title":"of others"}`}, // unknown fields are allowed
	} {
		t.Run(c.template, func(t *testing.T) {
			is := is.New(t)
			faults, err := Check(c.template, []byte(c.config))
			is.NoErr(err)
			is.Equal(len(faults), 0)
		})
	}
}

func TestInvalidConfigs(t *testing.T) {
	for _, c := range []struct{ template, config, faults string }{
		{"form", `[]`, "expected object, got array of 0 items"},
		{"form", `{"title":1,"fields":{}}`, "fields: expected array, got object with 0 properties; title: expected string, got number 1"},
		{"form", `{"fields":[{"name":""}]}`, `fields.0.name: expected at least 1 character, got 0: ""`},
		{"form", `{"fields":[{"name":"a","type":"color"}]}`, `fields.0.type: expected one of "text", "email", "password", "number", "tel", "url", "date", "time", "textarea", "select", "checkbox", got "color"`},
		{"form", `{"fields":[{"name":"a","type":"select"}]}`, `fields.0: missing required property "options"`},
		{"form", `{"fields":[{"name":"a"},{"name":"b"},{"name":"a"}]}`, `fields.2: duplicate name "a"`},
		{"data-table", `{"columns":[]}`, "columns: expected at least 1 item, got 0"},
		{"data-table", `{"columns":[{"label":"x"},3]}`, `columns.0: missing required property "key"; columns.1: expected object or string, got number 3`},
		{"data-table", `{"columns":["a",{"key":"a"}]}`, `columns.1: duplicate name "a"`},
		{"data-table", `{"pageSize":0}`, "pageSize: expected at least 1, got 0"},
		{"kanban", `{"columns":[{"id":"a"},"a"]}`, `columns.1: duplicate name "a"`},
		{"tree-view", `{"expandLevel":"all"}`, `expandLevel: expected integer, got string "all"`},
		{"diff-viewer", `{"viewMode":"both"}`, `viewMode: expected one of "split", "unified", got "both"`},
		{"progress", `{"cancelArgs":[]}`, "cancelArgs: expected object, got array of 0 items"},
	} {
		t.Run(c.config, func(t *testing.T) {
			is := is.New(t)
			faults, err := Check(c.template, []byte(c.config))
			is.NoErr(err)
			var all []string
			for _, f := range faults {
				all = append(all, f.String())
			}
			is.Equal(strings.Join(all, "; "), c.faults)
		})
	}
}

func TestTheFieldsOfAConfigAreKnown(t *testing.T) {
	is := is.New(t)
	is.Equal(strings.Join(Fields("kanban"), " "), "columns data description draggable onCardClickTool onMoveTool title")
	is.Equal(len(Fields("tabs")), 0)
}
