package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// metadataBytes is the maximal size of a .meta.json file. For YAML, it is document.YAMLBytes.
const metadataBytes = 1 << 20

// sidecarEndings are the endings of the names of metadata files, in order of preference.
var sidecarEndings = []string{".meta.json", ".meta.yaml", ".meta.yml"}

// sidecarOf returns the name that a metadata file belongs to: x for x.meta.json.
func sidecarOf(name string) (owner string, ok bool) {
	for _, ending := range sidecarEndings {
		if owner, ok = strings.CutSuffix(name, ending); ok {
			return owner, owner != ""
		}
	}
	return "", false
}

// sidecarsIn returns the metadata files of x that a folder has, in order of preference, and those that it has not.
func sidecarsIn(dir, x string) (found []string, missing []dep) {
	for _, ending := range sidecarEndings {
		if d := depOf(filepath.Join(dir, x+ending)); d.isFile() {
			found = append(found, d.path)
		} else {
			missing = append(missing, d)
		}
	}
	return found, missing
}

// metadata is the metadata of one entry.
type metadata struct {
	object              // of its fields
	raw      json.Value // the object as it was written; nil when there is none
	file     string     // that it was read from, absolute; empty if there is none
	head     []byte     // of the file that it describes, if it was read for the metadata
	unparsed bool       // there is metadata, but it cannot be parsed
}

// entry returns the entry that read builds of the metadata; nil if a fault leaves it out.
func (m *metadata) entry(read func() Entry) (made Entry) {
	if !hasErrors(m.faults) {
		m.untilStable(func() { made = read() })
	}
	if hasErrors(m.faults) {
		return nil
	}
	return made
}

// described returns what is known of an entry before its fields are read.
func (m *metadata) described() Described { return Described{MetadataFile: m.file, Metadata: m.raw} }

// readMetadata reads the first of the files at paths, which are the metadata of one entry; the others have
// no effect, which is a warning.
func readMetadata(root string, paths []string) metadata {
	m := metadata{object: object{reading: &reading{}}}
	if len(paths) == 0 {
		return m
	}
	m.file = paths[0]
	for _, other := range paths[1:] {
		m.add(Fault{File: rel(root, other), Reason: "has no effect beside " + filepath.Base(m.file),
			Hint: "keep one of the two", Warning: true})
	}
	name, limit, isJSON := rel(root, m.file), int64(document.YAMLBytes), strings.HasSuffix(m.file, ".json")
	if isJSON {
		limit = metadataBytes
	}
	m.dependsOn(depOf(m.file)) // before it is read: a change in the meantime shows the next time
	data, err := files.Read(m.file, limit)
	if err != nil {
		reason := cause(err).Error()
		if errors.Is(err, files.ErrTooLarge) {
			reason = fmt.Sprintf("is larger than %d KiB", limit>>10)
		}
		m.add(Fault{File: name, Reason: reason})
		return m
	}
	if isJSON {
		m.open(document.JSON(name, data), nil)
	} else {
		m.open(document.YAML(name, data, undivided()))
	}
	return m
}

// readInline reads metadata from the first lines of a file. In a script, a comment that looks like
// metadata but is not gets a warning.
func readInline(root, script string, head []byte, isScript bool) metadata {
	m := metadata{head: head}
	text, line, found := inlineMetadata(head)
	doc := document.Inline(rel(root, script), text, line)
	m.reading = &reading{doc: &doc}
	switch {
	case !found, text == nil && !isScript:
	case text == nil:
		m.add(Fault{File: rel(root, script), Line: line,
			Reason: "the mcp: comment has no JSON object after it, so it has no effect",
			Hint:   `write # mcp: {"description": "…"} on one line`, Warning: true})
	default:
		m.file = script
		m.open(doc, nil)
	}
	return m
}

// A Document is what a metadata file says, as JSON.
type Document struct{ m metadata }

// Document reads the metadata in a file, or in the first lines of one, as it is now; ok is false if there is
// none that can be read.
func (p *Project) Document(path string) (d Document, ok bool) {
	if _, isSidecar := sidecarOf(path); isSidecar || strings.HasSuffix(path, ".json") {
		d.m = readMetadata(p.root, []string{path})
	} else if head, err := files.Head(path, headBytes); err == nil {
		d.m = readInline(p.root, path, head, true)
	}
	return d, d.m.raw != nil && !d.m.unparsed
}

// JSON is the object as it is written, on one line.
func (d Document) JSON() json.Value { return d.m.raw }

// Fault returns a warning about the value that a JSON pointer leads to, or about the last one on the way to it that
// there is.
func (d Document) Fault(pointer, reason, hint string) Fault {
	at := d.m.within(json.Member{Value: d.m.raw}, json.Pointer(pointer))
	return Fault{File: d.m.doc.File, Line: d.m.doc.Fault(at.At, "", "", "").Line, Field: strings.TrimPrefix(at.Name, "."),
		Reason: reason, Hint: hint, Warning: true}
}

// open parses a document, unless that has failed already.
func (m *metadata) open(doc document.Document, fault *Fault) {
	if fault == nil {
		m.doc, m.tolerant, m.raw = &doc, true, doc.JSON
		m.faults = append(m.faults, doc.Lost...)
		m.members, fault = doc.Parse()
	}
	if fault != nil {
		m.add(*fault)
		m.unparsed = true
	}
}

const (
	headLines = 10       // in which inline metadata is looked for
	headBytes = 64 << 10 // which these lines may take
)

// inlineMetadata finds the metadata in a comment of the first ten lines of a script, with its line:
//
//	# mcp: {"description": "Says hello", "inputSchema": {…}}
//
// The comment begins with #, //, -- or <!--, depending on the language. An mcp: comment without
// JSON is reported with a nil text.
func inlineMetadata(head []byte) (text []byte, line int, found bool) {
	if bytes.IndexByte(head[:min(512, len(head))], 0) >= 0 {
		return nil, 0, false // a compiled program
	}
	for l := range bytes.Lines(document.TrimBOM(head)) {
		if line++; line > headLines {
			break
		}
		if rest, ok := bytes.CutPrefix(commentText(l), []byte("mcp:")); ok {
			if text = bytes.TrimSpace(rest); !bytes.HasPrefix(text, []byte("{")) {
				text = nil
			}
			return text, line, true
		}
	}
	return nil, 0, false
}

// commentText returns the text of a comment line; nil for any other line.
func commentText(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if rest, ok := bytes.CutPrefix(line, []byte("<!--")); ok {
		return bytes.TrimLeft(bytes.TrimSuffix(rest, []byte("-->")), " \t")
	}
	for _, marker := range []string{"#", "//", "--"} {
		if rest, ok := bytes.CutPrefix(line, []byte(marker)); ok {
			return bytes.TrimLeft(rest, " \t")
		}
	}
	return nil
}

// restricting are the fields by which an author refuses something: a tool with a broken one is not served.
var restricting = sync.OnceValue(func() []string {
	return append(toolFields().strict(), "inputSchema", "arguments", "outputSchema", "sandbox")
})

// undivided are the fields of which no part is left out: without it, the entry would be allowed more, or would
// run something else, and an interceptor would let more pass.
var undivided = sync.OnceValue(func() []string {
	return slices.Concat(restricting(), interceptorFields().strict(), []string{"annotations", "argv", "env"})
})
