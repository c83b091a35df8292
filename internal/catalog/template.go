package catalog

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/uritemplate"
)

// A Template describes all resources whose URI it can be expanded to (RT-01). It is shared by all
// callers, who must not change it.
type Template struct {
	Described

	// What a client sees besides. JSON is on one line, otherwise as the author wrote it; nil when absent.
	URITemplate string // of RFC 6570, with one variable at least
	MIMEType    string // of all that it stands for; empty when absent
	Annotations json.Value

	// The script that writes the contents for a URI; Path is empty where a provider serves it.
	Path     string         // absolute
	Dir      string         // its folder, absolute
	Timeout  *time.Duration // timeoutSecs, of the script; 0 for none, nil for the default
	Provider string         // as of a Resource

	// Completions are the sources of the values of variables; "" stands for all others.
	Completions map[string]Completion

	pattern *uritemplate.Template // URITemplate
}

// templateFields are the fields of a template.
var templateFields = sync.OnceValue(func() fields[Template] {
	return slices.Concat(
		fields[Template]{named(nameSchema, (*Template).described, func(r *record) string {
			r.require("name", `write "name": "`+r.c.name+`"`)
			return entryNamed(r)
		}).require()},
		of(describedFields, (*Template).described),
		fields[Template]{
			{row{name: "uriTemplate", is: "URI template of RFC 6570, with one `{variable}` at least", absent: "required",
				required: true, shown: true, schema: `"type":"string","pattern":":"`},
				func(r *record, t *Template) {
					r.require("uriTemplate", `write "uriTemplate": "notes://{day}"`)
					t.URITemplate, t.pattern = r.uriTemplate()
				},
				func(w *objectWriter, t *Template, _ paths) { w.text("uriTemplate", t.URITemplate) }},
			filePath("string; the script that writes the contents for a URI", func(t *Template) string { return t.Path }),
			{mimeRow, func(r *record, t *Template) { t.MIMEType = r.mimeType(t.URITemplate) },
				func(w *objectWriter, t *Template, _ paths) { w.text("mimeType", t.MIMEType) }},
			text(providerRow, func(t *Template) *string { return &t.Provider }),
			seconds(row{name: "timeoutSecs", is: "seconds until the script is ended; 0: no limit", absent: "the server's"},
				func(t *Template) **time.Duration { return &t.Timeout }),
			raw(annotationsRow, func(t *Template) *json.Value { return &t.Annotations }, annotationsOf[Template]),
			completionField("how its variables are completed: [below](#completions)",
				func(t *Template) *map[string]Completion { return &t.Completions }),
		},
	)
})

func (p *Project) readTemplate(c candidate, m metadata) Entry {
	if uri, both := m.get("uri"); both {
		m.refuse(uri, "cannot be combined with uriTemplate", "keep one of the two")
	}
	t := &Template{Described: m.described()}
	templateFields().read(p, c, m, t)
	t.Provider = cmp.Or(t.Provider, providerOf(t.URITemplate))
	switch {
	case c.alone:
	case c.file.isProgram(c.path) || c.file.executable && !isDocument(c.file.name):
		t.Path, t.Dir = c.path, filepath.Dir(c.path)
	default:
		m.add(Fault{File: p.Rel(c.path), Warning: true,
			Reason: "is not served, because " + filepath.Base(m.file) + " beside it describes a template",
			Hint:   "begin it with a #! line if it writes the contents, or rename it"})
	}
	return t
}

// Variables returns the names of the variables, in the order of the template.
func (t *Template) Variables() []string { return t.pattern.Variables() }

// Match extracts the variables from a URI that the template can be expanded to; the values of a list are joined by
// commas. exact is as in [uritemplate.Template.Match]. Values are percent-decoded: a value may contain slashes and dots
// that the path did not, so validate it before using it as a path. Variables of a query match only in the order of the
// template.
func (t *Template) Match(uri string) (values map[string]string, exact, ok bool) {
	start := literalStart(t.URITemplate)
	if at := strings.IndexFunc(start, func(r rune) bool { return r == '%' || r >= utf8.RuneSelf }); at >= 0 {
		start = start[:at] // the rest is escaped or not
	}
	if !strings.HasPrefix(uri, start) {
		return nil, false, false
	}
	matched, exact, ok := t.pattern.Match(uri)
	if !ok {
		return nil, false, false
	}
	values = make(map[string]string, len(matched))
	for name, list := range matched {
		values[name] = strings.Join(list, ",")
	}
	return values, exact, true
}

func (t *Template) address() string { return t.URITemplate }
