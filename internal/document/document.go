// Package document reads objects that people write, in JSON, in YAML or on a line of a script, as JSON, and knows the
// line of each value.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Document is an object as JSON on one line, in whatever form it was written. It maps each of its
// bytes to a line of the author's file.
type Document struct {
	File   string               // as faults name it
	JSON   json.Value           // without whitespace between its tokens, so that values can be kept and sent as they are
	source []byte               // the JSON as it was written; nil if it was not JSON
	line   func(offset int) int // of the source, or else of json
	Lost   []Fault              // the values that the JSON cannot have, as warnings
}

// Fault is a fault of the value at an offset of the JSON.
func (d *Document) Fault(offset int, field, reason, hint string) Fault {
	if d.source != nil {
		offset = offsetBefore(d.source, offset)
	}
	return d.sourceFault(offset, field, reason, hint)
}

// sourceFault is Fault for an offset of the source.
func (d *Document) sourceFault(offset int, field, reason, hint string) Fault {
	return Fault{File: d.File, Line: d.line(offset), Field: field, Reason: reason, Hint: hint}
}

// JSON returns the content of a JSON file. A byte order mark is tolerated.
func JSON(file string, data []byte) Document {
	data = TrimBOM(data)
	return Document{File: file, JSON: onOneLine(data), source: data,
		line: func(offset int) int { return lineAt(data, offset) }}
}

// TrimBOM removes a byte order mark.
func TrimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// onOneLine returns a copy of JSON without whitespace between its tokens. Invalid JSON stays as it is.
func onOneLine(data []byte) json.Value {
	packed := json.Value(bytes.Clone(data))
	packed.Compact()
	return bytes.Clone(packed) // it is kept, and indented JSON is much longer
}

// offsetBefore returns the offset in data of the byte at an offset of onOneLine(data).
func offsetBefore(data []byte, offset int) int {
	quoted, escaped := false, false
	for i, c := range data {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		}
		if offset == 0 {
			return i
		}
		offset--
	}
	return len(data)
}

// Parse splits the object that the document contains into its members. A fault means that it is not
// an object: most likely it was saved halfway.
func (d *Document) Parse() ([]json.Member, *Fault) {
	members, err := membersOf(d.JSON, 0)
	if err == nil {
		return members, nil
	}
	text := d.JSON
	if d.source != nil {
		text = d.source
		_, err = membersOf(text, 0)
	}
	// Reading the whole value finds the same fault, with a better description.
	if _, whole := json.NewDecoder(bytes.NewBuffer(text)).ReadValue(); whole != nil {
		err = whole
	}
	f := d.syntaxFault(text, err)
	return nil, &f
}

// membersOf splits the JSON object in raw, which must contain nothing else, into its members; base
// is the offset of raw in its document. Names are unique, at any depth.
func membersOf(raw []byte, base int) ([]json.Member, error) {
	all := make([]json.Member, 0, 4)
	for m, err := range json.Members(raw, '{') {
		if err != nil {
			return nil, err
		}
		m.At, m.Start = base+m.At, base+m.Start
		all = append(all, m)
	}
	return all, nil
}

// Members returns the members of the object m; none for anything else.
func Members(m json.Member) []json.Member {
	all, _ := membersOf(m.Value, m.Start)
	return all
}

// Elements returns the elements of the array m. Those of icons are called icons.0, icons.1, ...
func Elements(m json.Member) (all []json.Member) {
	for e, err := range json.Members(m.Value, '[') {
		if err != nil {
			break // it is not an array
		}
		all = append(all, json.Member{Name: m.Name + "." + strconv.Itoa(len(all)), Value: e.Value,
			At: m.Start + e.At, Start: m.Start + e.Start})
	}
	return all
}

// syntaxFault describes to the author why a document is not a JSON object.
func (d *Document) syntaxFault(text []byte, err error) Fault {
	if errors.Is(err, json.ErrKind) {
		return d.sourceFault(0, "", "must be an object", "begin with a field, such as description")
	}
	syntax, ok := errors.AsType[*json.SyntacticError](err)
	if !ok { // io.EOF: nothing but blanks
		return d.sourceFault(0, "", "is empty", "begin with a field, such as description, or remove the file")
	}
	at := int(syntax.ByteOffset)
	if errors.Is(err, json.ErrDuplicateName) {
		field := strings.Join(slices.Collect(syntax.JSONPointer.Tokens()), ".")
		return d.sourceFault(at, field, "is a duplicate", "keep one of the two")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return d.sourceFault(len(bytes.TrimSpace(text)), "", "is not valid JSON: it ends too early", "close what is open")
	}
	return d.sourceFault(at, "", fmt.Sprintf("is not valid JSON: %v", syntax.Err),
		syntaxHint(text, at, syntax.Err.Error()))
}

// syntaxHint recognizes common mistakes in JSON that is written by hand, by the byte at which the parser stopped
// and by its reason.
func syntaxHint(data []byte, at int, reason string) string {
	if at >= len(data) {
		return ""
	}
	before := bytes.TrimSpace(data[:at])
	switch c, _ := utf8.DecodeRune(data[at:]); {
	case (c == '}' || c == ']') && bytes.HasSuffix(before, []byte(",")):
		return "remove the last comma"
	case c == '/' || c == '#':
		return "JSON has no comments; use a .meta.yaml file for those"
	case c == '\'' || c == '“' || c == '”':
		return `use plain double quotes (")`
	case (c == '\n' || c == '\r') && strings.Contains(reason, " in string"):
		return `write \n for a line break in a string`
	case c == '"' && len(before) > 0 && before[len(before)-1] != ',':
		return "a comma may be missing before it"
	case strings.Contains(reason, " at start of string"):
		return "write names in double quotes"
	case strings.Contains(reason, " at start of value"), strings.Contains(reason, " in literal "):
		return "write text in double quotes; other values are true, false, null, numbers, objects and lists"
	}
	return ""
}

// Inline returns the object on one line of a script.
func Inline(file string, text []byte, line int) Document {
	return Document{File: file, JSON: onOneLine(text), source: text, line: func(int) int { return line }}
}
