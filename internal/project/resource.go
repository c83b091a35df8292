package project

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Resource is something that clients can read. It is shared by all callers, who must not change
// it.
type Resource struct {
	// What a client sees. JSON is on one line, otherwise as the author wrote it; nil when absent.
	Name        string
	Title       string
	Description string
	URI         string         // of RFC 3986; the file: URI of Path unless metadata gives another
	MIMEType    string         // empty if only its provider knows it
	Size        *int64         // in bytes; nil if it is unknown
	Annotations jsontext.Value // an object
	Icons       jsontext.Value // an array; files in the project have become data: URIs
	Meta        jsontext.Value // the object _meta

	// What it is read from.
	Path     string     // the file, absolute; empty if there is only metadata
	Provider string     // the provider that reads it: as in the metadata, or else the scheme, or git for git+https
	UI       *Interface // the user interface that it is; nil for any other resource

	// Where it was described.
	MetadataFile string         // absolute; the file itself if it is inline, empty for none
	Metadata     jsontext.Value // the object as written, on one line; nil for none

	declaredSize bool
}

// resourceFields are the fields that metadata of a resource may have.
var resourceFields = []string{
	"name", "title", "description", "uri", "mimeType", "size", "provider", "annotations", "icons", "_meta",
}

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
	o := m.object
	o.warnMisspelled(resourceFields...)
	uri := o.uri()
	r := &Resource{
		Name:         o.entryName(c.name),
		Title:        o.text("title"),
		Description:  o.text("description"),
		URI:          uri,
		MIMEType:     o.mimeType(uri),
		Size:         o.size(),
		Annotations:  o.annotations(),
		Meta:         o.json("_meta", '{'),
		Provider:     o.text("provider"),
		MetadataFile: m.file,
		Metadata:     m.raw,
	}
	r.declaredSize = r.Size != nil
	switch {
	case !c.alone:
		r.fillFromFile(c, m.head)
	case c.registered:
		o.require("uri", `write "uri": "notes://today", or "path": "today.md" for a file`)
	default:
		o.require("uri", "write a uri or a uriTemplate, or give the metadata the name of its file: notes.meta.json for notes.md")
	}
	if r.Provider == "" {
		r.Provider = providerOf(r.URI)
	}
	r.Icons = o.icons(p.root, filepath.Dir(c.path))
	return r
}

// fillFromFile sets what metadata does not define from the file.
func (r *Resource) fillFromFile(c candidate, head []byte) {
	r.Path = c.path
	if r.URI == "" {
		r.URI = fileURI(c.path)
	}
	if r.Size == nil && (strings.HasPrefix(r.URI, "file:") || IsInterface(r.URI)) { // else it is served by something else
		size := c.file.stamp.size
		r.Size = &size
	}
	if r.MIMEType == "" {
		r.MIMEType = mimeByName(c.file.name)
	}
	if r.MIMEType == "" {
		if head == nil {
			head, _ = files.Head(c.path, sniffBytes)
		}
		r.MIMEType = mimeByContent(head[:min(len(head), sniffBytes)])
	}
}

// sniffBytes is the number of bytes from which a type is detected.
const sniffBytes = 512

// mimeType reads mimeType; empty when absent. User interfaces, by their URI, have one type only (AP-02).
func (o object) mimeType(uri string) string {
	m, ok := o.typed("mimeType", '"')
	if !ok && IsInterface(uri) {
		return mcp.UIMIMEType
	} else if !ok {
		return ""
	}
	mime := unquote(m.value)
	if IsInterface(uri) && mime != mcp.UIMIMEType {
		o.warn(m, "is not the type of user interfaces, so "+mcp.UIMIMEType+" is served", "remove it")
		return mcp.UIMIMEType
	}
	if !mimeShape.Get().MatchString(mime) {
		o.refuse(m, "is not a media type", "write it as in text/markdown")
	}
	return mime
}

// size reads the number of bytes; nil when absent.
func (o object) size() *int64 {
	n, ok := o.number("size", 0, 1<<53)
	if !ok {
		return nil
	}
	if n != math.Trunc(n) {
		m, _ := o.get("size")
		o.refuse(m, "must be a whole number", "")
	}
	size := int64(n)
	return &size
}

// mayHoldMetadata reports whether a file can have a comment with metadata in it.
func mayHoldMetadata(name string) bool {
	mime := mimeByName(name)
	return mime == "" || isText(mime)
}

func (*Resource) kind() kind { return kindResource }

func (r *Resource) key(by lookup) string {
	if by == byAddress {
		return r.URI
	}
	return r.Name
}

// listed leaves out the size of the file: if it grows, the resource has changed, not the list.
func (r *Resource) listed(b []byte) []byte {
	size := ""
	if r.declaredSize {
		size = strconv.FormatInt(*r.Size, 10)
	}
	b = appendParts(b, r.Name, r.Title, r.Description, r.URI, r.MIMEType, size)
	return appendParts(b, r.Annotations, r.Icons, r.Meta)
}
