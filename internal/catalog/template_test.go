package catalog

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/matryer/is"
)

func templatesOf(t testing.TB, archive string) (Snapshot[*Template], Snapshot[*Resource]) {
	t.Helper()
	p := opened(t, folderOf(t, archive), Options{})
	return all(t, p.Templates), all(t, p.Resources)
}

func TestATemplateSaysAllThatItsMetadataSays(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- resources/deep/day.meta.json --
{
  "name": "day", "title": "A day", "description": "Notes of a day.", "uriTemplate": "notes://{year}/{day}{?q}",
  "mimeType": "text/markdown", "annotations": {"priority": 1}, "icons": [], "_meta": {"a": 1},
  "completion": {"year": ["2024", 2025], "day": "../../days.sh"}
}
-- resources/deep/day.sh --
#!/bin/sh
-- days.sh --
#!/bin/sh
`)
	p := opened(t, root, Options{})
	tmpl := only(t, all(t, p.Templates))
	want := &Template{
		Described: Described{Name: "day", Title: "A day", Description: "Notes of a day.", Icons: []byte(`[]`),
			Meta: []byte(`{"a":1}`), MetadataFile: filepath.Join(root, "resources", "deep", "day.meta.json"),
			Metadata: tmpl.Metadata}, URITemplate: "notes://{year}/{day}{?q}", MIMEType: "text/markdown",
		Annotations: []byte(`{"priority":1}`),
		Path:        filepath.Join(root, "resources", "deep", "day.sh"), Dir: filepath.Join(root, "resources", "deep"),
		Provider: "notes",
		Completions: map[string]Completion{
			"year": {Values: []string{"2024", "2025"}},
			"day":  {Path: filepath.Join(root, "days.sh")},
		},
	}
	is.Equal(cmp.Diff(want, tmpl, cmpopts.IgnoreUnexported(Template{})), "") // every field
	is.Equal(strings.Join(tmpl.Variables(), " "), "year day q")              // in order
	is.Equal(names(all(t, p.Resources)), "")                                 // its script is not one
}

func TestATemplateOfFilesNeedsNoScript(t *testing.T) {
	is := is.New(t)
	templates, resources := templatesOf(t,
		"-- resources/files.meta.yaml --\nname: files\nuriTemplate: file:///srv/{+path}\n")
	is.Equal(only(t, templates).Provider, "file")
	is.Equal(names(resources)+faults(resources), "")
}

func TestAFileBesideATemplateThatIsNoScript(t *testing.T) {
	is := is.New(t)
	templates, resources := templatesOf(t,
		"-- resources/a.txt --\n-- resources/a.meta.json --\n{\"name\":\"a\",\"uriTemplate\":\"x:{y}\"}\n")
	is.Equal(templates.Items[0].Path, "") // nothing is run
	is.Equal(names(resources), "")
	is.Equal(faults(templates),
		"resources/a.txt: is not served, because a.meta.json beside it describes a template; begin it with a #! line if it writes the contents, or rename it")
}

func TestAnOddValueOfATemplateCostsTheValue(t *testing.T) {
	cases := []struct{ metadata, fault string }{
		{`{"name": "a", "uriTemplate": "x:{y}", "completion": 1}`, `completion: must be a string, not a number; write "1"`},
		{`{"name": "a", "uriTemplate": "x:{y}", "completion": "gone.sh"}`,
			`completion: cannot be used: file does not exist; write it relative to the project, as in completions/city.sh`},
		{`{"name": "a", "uriTemplate": "x:{y}", "completion": {"y": "/etc/passwd"}}`,
			`completion.y: is outside of the project; put it, or a small script that starts it, into the project`},
		{`{"name": "a", "uriTemplate": "x:{y}", "completion": {"y": [["a"]]}}`,
			`completion.y.0: must be a string, not an array`},
	}
	for _, c := range cases {
		t.Run(c.fault, func(t *testing.T) {
			is := is.New(t)
			templates, _ := templatesOf(t, "-- resources/a.meta.json --\n"+c.metadata+"\n")
			is.Equal(faults(templates), "resources/a.meta.json:1: "+c.fault)
			is.Equal(names(templates), "a")
		})
	}
}

func TestAURIBesideAURITemplateWins(t *testing.T) {
	is := is.New(t)
	templates, resources := templatesOf(t,
		"-- resources/a.meta.json --\n{\"name\": \"a\", \"uriTemplate\": \"x:{y}\", \"uri\": \"x:y\"}\n")
	is.Equal(names(templates), "")
	is.Equal(names(resources), "a")
	is.Equal(faults(resources), "resources/a.meta.json:1: uriTemplate: cannot be combined with uri; keep one of the two")
}

func TestTemplatesThatAreWrong(t *testing.T) {
	cases := []struct{ metadata, fault string }{
		{`{"uriTemplate": "x:{y}"}`, `name: is missing; write "name": "a"`},
		{`{"name": "a", "uriTemplate": 1}`, `uriTemplate: must be a string, not a number`},
		{`{"name": "a", "uriTemplate": "x:y"}`,
			`uriTemplate: has no {variable}; write it as RFC 6570 has it, as in notes://{day}; what has none is a uri`},
		{`{"name": "a", "uriTemplate": "x/{y}"}`,
			`uriTemplate: has no scheme; write it as RFC 6570 has it, as in notes://{day}`},
		{`{"name": "a", "uriTemplate": "x:a b{y}"}`,
			`uriTemplate: is not a URI template: unacceptable character (hint: use %XX encoding): x:a_; write it as RFC 6570 has it, as in notes://{day}`},
		{`{"name": "a", "uriTemplate": "x:{y}` + strings.Repeat("a", uriBytes) + `"}`,
			`uriTemplate: is too long: it has 2053 bytes, the limit is 2048`},
		{`{"name": "a", "uriTemplate": "{y}:x"}`,
			`uriTemplate: has no scheme; write it as RFC 6570 has it, as in notes://{day}`},
		{`{"name": "a", "uriTemplate": "x:{y:101}"}`,
			`uriTemplate: has a variable with a prefix of more than 100 characters`},
		{`{"name": "a", "uriTemplate": "x:{y:100,z:1000}"}`,
			`uriTemplate: has a variable with a prefix of more than 100 characters`},
		{`{"name": "a", "uriTemplate": "x:` + strings.Repeat("{y}", 33) + `"}`, `uriTemplate: has more than 32 variables`},
		{`{"name": "a", "uriTemplate": "x:{a` + strings.Repeat(",a", 32) + `}"}`, `uriTemplate: has more than 32 variables`},
	}
	for _, c := range cases {
		t.Run(c.fault, func(t *testing.T) {
			is := is.New(t)
			templates, _ := templatesOf(t, "-- resources/a.meta.json --\n"+c.metadata+"\n")
			is.Equal(faults(templates), "resources/a.meta.json:1: "+c.fault)
			is.Equal(names(templates), "")
		})
	}
	for _, bad := range []string{"x:{", "x:{}", "x:{y", "x:}", "x:{y!}"} {
		is := is.New(t)
		templates, _ := templatesOf(t, "-- resources/a.meta.json --\n{\"name\":\"a\",\"uriTemplate\":\""+bad+"\"}\n")
		// syntax of RFC 6570
		is.True(strings.HasPrefix(faults(templates), "resources/a.meta.json:1: uriTemplate: is not a URI template: "))
	}
}

func TestTheFirstOfTwoTemplatesWithOneNameOrURITemplateStays(t *testing.T) {
	is := is.New(t)
	templates, _ := templatesOf(t, `
-- resources/a.meta.json --
{"name": "x", "uriTemplate": "n://{a}"}
-- resources/b.meta.json --
{"name": "x", "uriTemplate": "n://{b}"}
-- resources/c.meta.json --
{"name": "y", "uriTemplate": "n://{a}"}
`)
	is.Equal(names(templates), "x")
	is.Equal(faults(templates),
		`resources/b.meta.json: name: "x" is the name of resources/a.meta.json already, so this resource template is left out; give one of the two another name`+"\n"+
			`resources/c.meta.json: uriTemplate: "n://{a}" is the uriTemplate of resources/a.meta.json already, so this resource template is left out; give one of the two another uriTemplate`)
}

func TestAURIIsMatchedWithTheTemplateThatItCameFrom(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, `
-- resources/a.meta.json --
{"name": "day", "uriTemplate": "notes://{year}/{day}"}
-- resources/b.meta.json --
{"name": "file", "uriTemplate": "file:///srv/{+path}"}
-- resources/c.meta.json --
{"name": "list", "uriTemplate": "tags:{tag*}"}
`), Options{})
	cases := []struct{ uri, name, values string }{
		{"notes://2025/31", "day", "map[day:31 year:2025]"},
		{"notes://2025/a%20b", "day", "map[day:a b year:2025]"},
		{"file:///srv/a/b.txt", "file", "map[path:a/b.txt]"},
		{"file:///srv/..%2Fetc", "file", "map[path:../etc]"}, // decoded, as Match warns
		{"tags:a,b", "list", "map[tag:a,b]"},
		{"notes://2025", "", "map[]"},
		{"notes://2025/31/1", "", "map[]"},
		{"file:///srv/" + strings.Repeat("a", uriBytes), "", "map[]"},
	}
	for _, c := range cases {
		found, values, err := p.Match(t.Context(), c.uri)
		name := ""
		if found != nil {
			name = found.Name
		}
		is.Equal(name, c.name)
		is.Equal(printed(values), c.values)
		is.Equal(errors.Is(err, ErrUnknownTemplate), c.name == "")
	}
	found, err := p.Template(t.Context(), "notes://{year}/{day}")
	is.NoErr(err)
	is.Equal(found.Name, "day") // as written
}

func TestMetadataTurnsFromATemplateIntoAResourceAndBack(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- resources/a.meta.json --\n{\"name\":\"a\",\"uriTemplate\":\"x:{y}\"}\n")
	p := opened(t, root, Options{})
	state := func() string { return names(all(t, p.Templates)) + "|" + names(all(t, p.Resources)) }
	is.Equal(state(), "a|")
	put(t, root, "resources/a.meta.json", `{"name":"b","uri":"x:1"}`)
	is.Equal(state(), "|b")
	put(t, root, "resources/a.meta.json", `{"name":"b",`) // half of it
	is.Equal(state(), "|b")
	put(t, root, "resources/a.meta.json", `{"name":"c","uriTemplate":"x:{y}"}`)
	is.Equal(state(), "c|")
	put(t, root, "resources/a.meta.json", `{`)
	is.Equal(state(), "c|") // it stays what it was
}
