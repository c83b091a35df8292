package uipage

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

var island = regexp.MustCompile(`(?s)<script id="config" type="application/json">(.*?)</script>`)

func TestEveryTemplateMakesADocument(t *testing.T) {
	for _, name := range Templates() {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			page, err := Page(name, "The <title> & more", nil)
			is.NoErr(err)
			text := string(page)
			is.True(strings.HasPrefix(text, "<!doctype html>\n<html lang=\"en\">\n")) // HTML5, in a language
			is.True(strings.Contains(text, "<title>The &lt;title&gt; &amp; more</title>"))
			is.True(strings.Contains(text, `<h1 id="title">The &lt;title&gt; &amp; more</h1>`))
			is.True(strings.Contains(text, `<div id="view" class="`+name+`"></div>`))
			is.True(strings.Contains(text, `role="status"`) && strings.Contains(text, `role="alert"`)) // announced by screen readers
			is.Equal(strings.Count(text, "<script"), 2)                                                // the config and the script
			is.Equal(strings.Count(text, "</script>"), 2)
			is.Equal(strings.Count(text, "</style>"), 1)
			is.Equal(island.FindStringSubmatch(text)[1], "{}")
			is.True(len(page) < 25_000) // small, with a limit of 1 MiB
			again, err := Page(name, "The <title> & more", []byte("{}"))
			is.NoErr(err)
			is.Equal(string(again), text) // always the same
		})
	}
}

func TestAPageLoadsNothing(t *testing.T) {
	outside := regexp.MustCompile(`(?i)https?:|src=|href=|@import|url\(|import\(|fetch\(|innerHTML|eval\(|new Function|<form|\son[a-z]+="`)
	for _, name := range Templates() {
		is := is.New(t)
		page, err := Page(name, "", nil)
		is.NoErr(err)
		text := strings.ReplaceAll(string(page), `"http://www.w3.org/2000/svg"`, "") // a name, not an address
		is.Equal(outside.FindString(text), "")                                       // nothing that a strict content security policy refuses
	}
}

func TestTheConfigHasTheHeading(t *testing.T) {
	is := is.New(t)
	page, err := Page("kanban", "from the metadata", []byte(`{"title":"from the config","description":"What <it> is."}`))
	is.NoErr(err)
	is.True(strings.Contains(string(page), `<h1 id="title">from the config</h1>`+"\n"+`<p id="description">What &lt;it&gt; is.</p>`))
	page, err = Page("kanban", "", nil)
	is.NoErr(err)
	is.True(strings.Contains(string(page), "<title>kanban</title>")) // required in a document
	is.True(!strings.Contains(string(page), "<h1"))
}

func TestAHostileConfigStaysInItsElement(t *testing.T) {
	for _, text := range []string{`</script><script>alert(1)</script>`, `<!--<script>`, `]]>`, `{{.}}`, "`${alert(1)}`", `\u2028`, `é&amp;"'`} {
		is := is.New(t)
		quoted, err := json.AppendQuote(nil, text)
		is.NoErr(err)
		config := fmt.Sprintf(`{"title":%s,"data":[%s],"submitArgs":{%s:1}}`, quoted, quoted, quoted)
		page, err := Page("form", "", []byte(config))
		is.NoErr(err)
		keeps(t, page, config)
	}
}

// keeps fails the test unless the page contains the config, and nothing else from it.
func keeps(t *testing.T, page []byte, config string) {
	t.Helper()
	is := is.New(t)
	is.Equal(strings.Count(string(page), "<script"), 2)
	is.Equal(strings.Count(string(page), "</script"), 2)
	is.Equal(strings.Count(string(page), "<!--"), 0)
	found := island.FindStringSubmatch(string(page))
	is.True(found != nil)
	got, want := json.Value(found[1]), json.Value(config)
	is.NoErr(got.Canonicalize())
	is.NoErr(want.Canonicalize())
	is.Equal(got.String(), want.String()) // the same values
}

func TestInvalidPages(t *testing.T) {
	is := is.New(t)
	_, err := Page("tabs", "", nil)
	is.True(errors.Is(err, ErrTemplate))
	is.Equal(err.Error(), `unknown template "tabs": use one of form, data-table, progress, diff-viewer, tree-view, kanban`)
	_, err = Page("form", "", []byte(`{"fields":[{"name":"a"},{"label":"b"}]}`))
	is.True(errors.Is(err, ErrConfig))
	is.Equal(err.Error(), `bad config: fields.1: missing required property "name"`)
	_, err = Page("form", "", []byte(`{`))
	is.Equal(err.Error(), "bad config: not JSON: unexpected EOF after offset 1")
	_, err = Page("form", "", []byte(strings.Repeat("[", 100_000)))
	is.True(errors.Is(err, ErrConfig)) // too deep to be checked
}

func TestTemplatesHaveShortNames(t *testing.T) {
	for name, want := range map[string]string{"form": "form", "table": "data-table", "data-table": "data-table", "progress": "progress", "diff": "diff-viewer", "tree": "tree-view", "kanban": "kanban", "viewer": "", "": ""} {
		is := is.New(t)
		got, err := Named(name)
		is.Equal(got, want)
		is.Equal(errors.Is(err, ErrTemplate), want == "")
	}
}

func TestALargeConfigMakesALargePage(t *testing.T) {
	is := is.New(t)
	page, err := Page("data-table", "", []byte(`{"data":["`+strings.Repeat("x", 2<<20)+`"]}`))
	is.NoErr(err)
	is.True(len(page) > 2<<20) // the limit is the server's
}

func FuzzPage(f *testing.F) {
	for _, config := range []string{
		`{}`, `{"title":"</title><script>"}`, `{"columns":["a",{"key":"b","id":"c"}]}`, `{"fields":[{"name":"a","type":"select","options":[1]}]}`,
		`{"data":"<!--"}`, `{"Title":1,"fields":{}}`, `{"title":"\ud800"}`, "\xff", `{"data":1e999}`, `[]`, `{"a":1,"a":2}`,
	} {
		for i := range Templates() {
			f.Add(i, config)
		}
	}
	f.Fuzz(func(t *testing.T, template int, config string) {
		names := Templates()
		page, err := Page(names[uint(template)%uint(len(names))], "", []byte(config))
		if err != nil {
			is := is.New(t)
			is.True(errors.Is(err, ErrConfig)) // names the fault
			return
		}
		if strings.Count(string(page), "<script") != 2 || strings.Count(string(page), "</script") != 2 {
			t.Errorf("the config broke out of its element:\n%s", page)
		}
		if found := island.FindSubmatch(page); found == nil || !json.Value(found[1]).IsValid() {
			t.Errorf("the config is not in the page:\n%s", page)
		}
	})
}

func BenchmarkPage(b *testing.B) {
	config := []byte(`{"fields":[{"name":"a"},{"name":"b","type":"number"}],"submitTool":"t"}`)
	for b.Loop() {
		if _, err := Page("form", "", config); err != nil {
			b.Fatal(err)
		}
	}
}
