package project

import (
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/internal/uritemplate"
)

// A Template describes all resources whose URI it can be expanded to (RT-01). It is shared by all
// callers, who must not change it.
type Template struct {
	// What a client sees. JSON is on one line, otherwise as the author wrote it; nil when absent.
	Name        string
	Title       string
	Description string
	URITemplate string // of RFC 6570, with one variable at least
	MIMEType    string // of all that it stands for; empty when absent
	Annotations jsontext.Value
	Icons       jsontext.Value
	Meta        jsontext.Value

	// The script that writes the contents for a URI; Path is empty where a provider serves it.
	Path     string         // absolute
	Dir      string         // its folder, absolute
	Timeout  *time.Duration // timeoutSecs, of the script; 0 for none, nil for the default
	Provider string         // as of a Resource

	// Completions are the sources of the values of variables; "" stands for all others.
	Completions map[string]Completion

	// Where it was described.
	MetadataFile string         // absolute
	Metadata     jsontext.Value // the object as written, on one line
}

// templateFields are the fields that metadata of a template may have.
var templateFields = []string{
	"name", "title", "description", "uriTemplate", "mimeType", "provider", "annotations", "icons", "completion", "timeoutSecs", "_meta",
}

func (p *Project) readTemplate(c candidate, m metadata) Entry {
	o := m.object
	o.warnMisspelled(templateFields...)
	o.require("name", `write "name": "`+c.name+`"`)
	if uri, both := o.get("uri"); both {
		o.refuse(uri, "cannot be combined with uriTemplate", "keep one of the two")
	}
	uri := o.uriTemplate()
	t := &Template{
		Name:         o.entryName(c.name),
		Title:        o.text("title"),
		Description:  o.text("description"),
		URITemplate:  uri,
		MIMEType:     o.mimeType(uri),
		Provider:     o.text("provider"),
		Timeout:      o.seconds("timeoutSecs"),
		Annotations:  o.annotations(),
		Meta:         o.json("_meta", '{'),
		MetadataFile: m.file,
		Metadata:     m.raw,
	}
	if t.Provider == "" {
		t.Provider = providerOf(t.URITemplate)
	}
	switch {
	case c.alone:
	case c.file.isProgram(c.path) || c.file.executable && !isDocument(c.file.name):
		t.Path, t.Dir = c.path, filepath.Dir(c.path)
	default:
		m.add(Fault{File: p.Rel(c.path), Reason: "is not served, because " + filepath.Base(m.file) + " beside it describes a template",
			Hint: "begin it with a #! line if it writes the contents, or rename it", Warning: true})
	}
	folders := []string{filepath.Dir(c.path), p.root}
	t.Icons = o.icons(p.root, folders[0])
	t.Completions = o.completions(p.root, c, folders)
	return t
}

// Variables returns the names of the variables, in the order of the template.
func (t *Template) Variables() []string {
	template, err := uritemplate.New(t.URITemplate)
	if err != nil {
		return nil
	}
	return template.Variables()
}

// Match extracts the variables from a URI that the template can be expanded to; the values of a
// list are joined by commas. exact is as in [uritemplate.Template.Match]. Values are percent-decoded: a value may contain slashes and dots that
// the path did not, so validate it before using it as a path. Variables of a query match only in
// the order of the template.
func (t *Template) Match(uri string) (values map[string]string, exact, ok bool) {
	start := literalStart(t.URITemplate)
	if at := strings.IndexFunc(start, func(r rune) bool { return r == '%' || r >= utf8.RuneSelf }); at >= 0 {
		start = start[:at] // the rest is escaped or not
	}
	if !strings.HasPrefix(uri, start) {
		return nil, false, false
	}
	template, err := uritemplate.New(t.URITemplate)
	if err != nil {
		return nil, false, false
	}
	matched, exact, ok := template.Match(uri)
	if !ok {
		return nil, false, false
	}
	values = make(map[string]string, len(matched))
	for name, list := range matched {
		values[name] = strings.Join(list, ",")
	}
	return values, exact, true
}

func (*Template) kind() kind { return kindTemplate }

func (t *Template) key(by lookup) string {
	if by == byAddress {
		return t.URITemplate
	}
	return t.Name
}

func (t *Template) listed(b []byte) []byte {
	b = appendParts(b, t.Name, t.Title, t.Description, t.URITemplate, t.MIMEType)
	return appendParts(b, t.Annotations, t.Icons, t.Meta)
}
