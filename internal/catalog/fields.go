package catalog

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A row says what people need to know of a field of metadata: docs/PROJECT.md and docs/schema are made of it.
type row struct {
	name   string
	older  string // a name that is read too, if this one is absent
	is     string // the type and the purpose, as docs/PROJECT.md has them; empty to leave the row out there
	absent string // what the absence of the field means, in the same place
	schema string // members of its JSON Schema, besides the description

	required   bool // there is no entry without it
	strict     bool // it restricts: an invalid value leaves the entry out
	shown      bool // clients see it: with another value it is another list
	registered bool // only where an entry is registered
}

// A field is a row, with what reads it into an entry of the type E, and what writes it as a registration,
// so that reading that gives the same. Both may be nil: then it is not read, or written as its author wrote it.
type field[E any] struct {
	row
	read  func(r *record, e *E)
	write func(w *objectWriter, e *E, at paths)
}

// fields are all fields of a kind of document. They are read and written in this order.
type fields[E any] []field[E]

// A record is what an entry is read from: its metadata and its file.
type record struct {
	object
	p       *Project
	c       candidate
	folders []string // where the files that it names are looked for
}

// read reads all fields into e.
func (all fields[E]) read(p *Project, c candidate, m metadata, e *E) {
	r := &record{m.object, p, c, []string{filepath.Dir(c.path), p.root}}
	r.warnMisspelled(all.names()...)
	for _, f := range all {
		if r.strict = f.strict; f.read != nil {
			f.read(r, e)
		}
	}
}

// write writes the fields of e, which has this metadata; with only, those that clients see.
func (all fields[E]) write(w *objectWriter, e *E, metadata json.Value, at paths, only bool) {
	var written []json.Member
	if !only {
		written = document.Members(json.Member{Value: metadata})
	}
	for _, f := range all {
		i := slices.IndexFunc(written, func(m json.Member) bool { return m.Name == f.name && m.Value.Kind() != 'n' })
		switch {
		case only && !f.shown:
		case f.write != nil:
			f.write(w, e, at)
		case i >= 0:
			w.add(f.name, written[i].Value)
		}
	}
}

// strict returns the names of the fields that restrict.
func (all fields[E]) strict() []string {
	return slices.DeleteFunc(slices.Clone(all), func(f field[E]) bool { return !f.strict }).names()
}

func (all fields[E]) names() (names []string) {
	for _, f := range all {
		if names = append(names, f.name); f.older != "" {
			names = append(names, f.older)
		}
	}
	return names
}

// of returns the fields of a part of an entry as fields of the entry.
func of[E, P any](part fields[P], in func(*E) *P) fields[E] {
	all := make(fields[E], len(part))
	for i, f := range part {
		all[i].row = f.row
		if f.read != nil {
			all[i].read = func(r *record, e *E) { f.read(r, in(e)) }
		}
		if f.write != nil {
			all[i].write = func(w *objectWriter, e *E, at paths) { f.write(w, in(e), at) }
		}
	}
	return all
}

// The functions below make fields of common types.

func text[E any](r row, in func(*E) *string) field[E] {
	r.schema = cmp.Or(r.schema, `"type":"string"`)
	return field[E]{r,
		func(o *record, e *E) { *in(e) = o.text(r.name) },
		func(w *objectWriter, e *E, _ paths) { w.text(r.name, *in(e)) }}
}

func seconds[E any](r row, in func(*E) **time.Duration) field[E] {
	r.schema = `"type":"number","minimum":0,"maximum":31536000`
	return field[E]{r, func(o *record, e *E) { *in(e) = o.seconds(r.name) }, nil}
}

// word is a field with one of a few words.
func word[E any, S ~string](r row, in func(*E) *S, words ...string) field[E] {
	r.schema = `"enum":["` + strings.Join(words, `","`) + `"]`
	return field[E]{r, func(o *record, e *E) {
		if m, ok := o.typed(r.name, '"'); ok {
			o.oneOf(m, words...)
			*in(e) = S(json.Text(m.Value))
		}
	}, nil}
}

// whole is a field with a whole number from 1 to most.
func whole[E any, N ~int | ~int64](r row, most int64, in func(*E) *N) field[E] {
	r.schema = cmp.Or(r.schema, `"type":"integer","minimum":1`)
	return field[E]{r, func(o *record, e *E) { *in(e) = N(o.count(r.name, most)) }, nil}
}

// verbatim is a field with an object that is kept as it is written.
func verbatim[E any](r row, in func(*E) *json.Value) field[E] {
	return raw(r, in, func(o *record, _ *E) json.Value { return o.json(r.name) })
}

// raw is a field that is kept as it is written, if check accepts it.
func raw[E any](r row, in func(*E) *json.Value, check func(o *record, e *E) json.Value) field[E] {
	r.schema = cmp.Or(r.schema, `"type":"object"`)
	return field[E]{r,
		func(o *record, e *E) { *in(e) = check(o, e) },
		func(w *objectWriter, e *E, _ paths) { w.add(r.name, *in(e)) }}
}

func filePath[E any](is string, in func(*E) string) field[E] {
	return field[E]{row{name: "path", is: is, schema: `"type":"string"`, registered: true}, nil,
		func(w *objectWriter, e *E, at paths) {
			if path := in(e); path != "" {
				w.text("path", at.short(path))
			}
		}}
}

// paths writes paths as in registrations.
type paths struct{ root, dir string } // the folders of the project and of the kind

// short returns a path relative to the folder of the kind if it is in it, else to the root.
func (p paths) short(path string) string {
	if short := rel(p.dir, path); filepath.IsLocal(filepath.FromSlash(short)) {
		return short
	}
	return rel(p.root, path)
}

// named is the field with the name of an entry.
func named[E any](schema string, in func(*E) *Described, read func(r *record) string) field[E] {
	return field[E]{row{name: "name", schema: schema, shown: true},
		func(r *record, e *E) { in(e).Name = read(r) },
		func(w *objectWriter, e *E, _ paths) { w.text("name", in(e).Name) }}
}

// require returns the field as one without which there is no entry.
func (f field[E]) require() field[E] {
	f.required = true
	return f
}

func (d *Described) described() *Described { return d }

func (*Described) address() string { return "" }

// nameSchema is the schema of a name.
const nameSchema = `"type":"string","minLength":1`

// entryNamed reads a name, which is by default as the candidate is called.
func entryNamed(r *record) string { return r.entryName(r.c.name) }

// Described is what the metadata of all kinds of entries has in common.
type Described struct {
	// What a client sees. JSON is on one line, otherwise as the author wrote it; nil when absent.
	Name        string // of a tool: 1 to 128 of A-Z a-z 0-9 _ . - (T-13)
	Title       string
	Description string
	Icons       json.Value // an array; files in the project have become data: URIs
	Meta        json.Value // the object _meta

	// Where it was described.
	MetadataFile string     // absolute; the file of the entry if it is inline, empty for none
	Metadata     json.Value // the object as written, on one line; nil for none
}

const iconsSchema = `"type":"array","items":{"type":"object","required":["src"],"properties":{` +
	`"src":{"type":"string"},"mimeType":{"type":"string"},"theme":{"type":"string"},` +
	`"sizes":{"type":"array","items":{"type":"string"}}}}`

// describedFields are those besides the name.
var describedFields = fields[Described]{
	text(row{name: "title", is: "string; for people", absent: "none", shown: true},
		func(d *Described) *string { return &d.Title }),
	text(row{name: "description", is: "string; for people, and for models", absent: "none", shown: true},
		func(d *Described) *string { return &d.Description }),
	raw(row{name: "icons", schema: iconsSchema,
		is: "array of `{\"src\", \"mimeType\", \"sizes\", \"theme\"}`; `src` is an `https:` or `data:` URI, or a file in " +
			"the project, which is sent as a `data:` URI; any other icon is ignored with a warning",
		absent: "none", shown: true},
		func(d *Described) *json.Value { return &d.Icons },
		func(r *record, _ *Described) json.Value { return r.icons(r.p.root, r.folders[0]) }),
	verbatim(row{name: "_meta", is: "object; passed on as it is", absent: "none", shown: true},
		func(d *Described) *json.Value { return &d.Meta }),
}

// An objectWriter collects the members of an object: their names and values, in turn.
type objectWriter []any

// add adds a value; a [json.Value] that is nil is absent.
func (w *objectWriter) add(name string, value any) { *w = append(*w, name, value) }

// text adds a text that is absent if it is empty.
func (w *objectWriter) text(name, value string) {
	if value != "" {
		w.add(name, value)
	}
}

func (w objectWriter) object() json.Value { return json.Object(w...) }
