package catalog

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Resource is something that clients can read. It is shared by all callers, who must not change
// it.
type Resource struct {
	Described

	// What a client sees besides. JSON is on one line, otherwise as the author wrote it; nil when absent.
	URI         string     // of RFC 3986; the file: URI of Path unless metadata gives another
	MIMEType    string     // empty if only its provider knows it
	Size        *int64     // in bytes; nil if it is unknown
	Annotations json.Value // an object

	// What it is read from.
	Path     string     // the file, absolute; empty if there is only metadata
	Provider string     // the provider that reads it: as in the metadata, or else the scheme, or git for git+https
	UI       *Interface // the user interface that it is; nil for any other resource

	declaredSize bool
}

// resourceFields are the fields of a resource.
var resourceFields = sync.OnceValue(func() fields[Resource] {
	return slices.Concat(
		fields[Resource]{named(nameSchema, (*Resource).described, entryNamed)},
		of(describedFields, (*Resource).described),
		fields[Resource]{
			filePath("string; the file", func(r *Resource) string { return r.Path }),
			{row{name: "uri", is: "URI of RFC 3986", absent: "the `file:` URI of the file", shown: true,
				schema: `"type":"string","pattern":":"`},
				func(o *record, r *Resource) { r.URI = o.uri() },
				func(w *objectWriter, r *Resource, _ paths) { w.text("uri", r.URI) }},
			{mimeRow, func(o *record, r *Resource) { r.MIMEType = o.mimeType(r.URI) },
				func(w *objectWriter, r *Resource, _ paths) { w.text("mimeType", r.MIMEType) }},
			{row{name: "size", is: "whole number of bytes", absent: "that of the file", shown: true,
				schema: `"type":"integer","minimum":0`},
				func(o *record, r *Resource) {
					if n, ok := o.whole("size", 0, 1<<53); ok {
						r.Size, r.declaredSize = &n, true
					}
				},
				func(w *objectWriter, r *Resource, _ paths) { // if the file grows, the resource has changed, not the list
					if r.declaredSize {
						w.add("size", *r.Size)
					}
				}},
			text(providerRow, func(r *Resource) *string { return &r.Provider }),
			raw(annotationsRow, func(r *Resource) *json.Value { return &r.Annotations }, annotationsOf[Resource]),
			{row{name: "ui", schema: `"type":"object"`, registered: true, // as lists in .registry/ have it
				is: "object of `template`, `config` and `tool`: the user interface that it is"},
				func(o *record, r *Resource) { r.UI = o.registeredInterface() },
				func(w *objectWriter, r *Resource, _ paths) { r.UI.stored(w) }},
		},
	)
})

var (
	mimeRow = row{name: "mimeType", is: "`type/subtype`", absent: "by the extension, else by the content", shown: true,
		schema: `"type":"string","pattern":"/"`}
	providerRow = row{name: "provider", absent: "the scheme; `git` for `git+https`",
		is: "who reads it: `NAME` of `providers/NAME.sh`, or `file`, `https`, `git`, `ui`, `echo`"}
	annotationsRow = row{name: "annotations", absent: "none", shown: true,
		is: "object of `audience` (array of `user`, `assistant`), `priority` (0 to 1), `lastModified` (ISO 8601)",
		schema: `"type":"object","properties":{"audience":{"type":"array","items":{"enum":["user","assistant"]}},` +
			`"priority":{"type":"number","minimum":0,"maximum":1},"lastModified":{"type":"string"}}`}
)

func annotationsOf[E any](r *record, _ *E) json.Value { return r.annotations() }

// readAnyResource reads a resource or a template, depending on its metadata.
func (p *Project) readAnyResource(c candidate, m metadata) Entry {
	o := m.object
	template, isTemplate := o.get("uriTemplate")
	if uri, isResource := o.get("uri"); isTemplate && isResource {
		if o.uri(); !o.isRefused(uri) {
			o.refuse(template, "cannot be combined with uri", "keep one of the two")
			isTemplate = false
		}
	}
	if isTemplate {
		return p.readTemplate(c, m)
	}
	return p.readResource(c, m)
}

func (p *Project) readResource(c candidate, m metadata) Entry {
	r := &Resource{Described: m.described()}
	resourceFields().read(p, c, m, r)
	switch {
	case !c.alone:
		r.fillFromFile(c, m.head)
	case c.registered:
		m.require("uri", `write "uri": "notes://today", or "path": "today.md" for a file`)
	default:
		m.require("uri",
			"write a uri or a uriTemplate, or give the metadata the name of its file: notes.meta.json for notes.md")
	}
	r.Provider = cmp.Or(r.Provider, providerOf(r.URI))
	return r
}

// fillFromFile sets what metadata does not define from the file.
func (r *Resource) fillFromFile(c candidate, head []byte) {
	r.Path = c.path
	if r.URI == "" {
		r.URI = files.URI(c.path)
	}
	if r.Size == nil && (strings.HasPrefix(r.URI, "file:") || IsInterface(r.URI)) { // else it is served by something else
		size := c.file.stamp.Size
		r.Size = &size
	}
	if r.MIMEType == "" {
		r.MIMEType = mediatype.ByName(c.file.name)
	}
	if r.MIMEType == "" {
		if head == nil {
			head, _ = files.Head(c.path, mediatype.Sniffed)
		}
		r.MIMEType = mediatype.ByContents(head)
	}
}

// mimeShape matches type/subtype, with or without parameters.
var mimeShape = lazyregexp.New(`^[\w!#$&^.+-]+/[\w!#$&^.+-]+( *;[ -~]*)?$`)

// mimeType reads mimeType; empty when absent. User interfaces, by their URI, have one type only (AP-02).
func (o object) mimeType(uri string) string {
	m, ok := o.typed("mimeType", '"')
	mime := json.Text(m.Value)
	if IsInterface(uri) {
		if ok && mime != mcp.UIMIMEType {
			o.warn(m, "is not the type of user interfaces, so "+mcp.UIMIMEType+" is served", "remove it")
		}
		return mcp.UIMIMEType
	}
	if ok && !mimeShape.Get().MatchString(mime) {
		o.refuse(m, "is not a media type", "write it as in text/markdown")
	}
	return mime
}

// mayHoldMetadata reports whether a file can have a comment with metadata in it.
func mayHoldMetadata(name string) bool {
	mime := mediatype.ByName(name)
	return mime == "" || mediatype.IsText(mime)
}

func (r *Resource) address() string { return r.URI }

// annotations reads the annotations of a resource.
func (o object) annotations() json.Value {
	notes := o.object("annotations")
	if audience, ok := notes.typed("audience", '['); ok {
		for _, role := range notes.elements(audience) {
			if notes.is(role, '"') {
				notes.oneOf(role, "user", "assistant")
			}
		}
	}
	notes.number("priority", 0, 1)
	if modified, ok := notes.typed("lastModified", '"'); ok && !isoTime.Get().MatchString(json.Text(modified.Value)) {
		notes.refuse(modified, "is not a time", `write it as in "2025-01-31T15:04:05Z"`)
	}
	notes.warnMisspelled("audience", "priority", "lastModified")
	return o.json("annotations")
}

// isoTime matches a date of ISO 8601, with or without a time of day.
var isoTime = lazyregexp.New(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])` +
	`([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$`)
