package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"strings"
)

// A document is metadata as JSON on one line, in whatever form it was written. It maps each of its
// bytes to a line of the author's file.
type document struct {
	file   string               // as faults name it
	json   []byte               // without whitespace between its tokens, so that values can be kept and sent as they are
	source []byte               // the JSON as it was written; nil if it was not JSON
	line   func(offset int) int // of the source, or else of json
	lost   []Fault              // the values that the JSON cannot have, as warnings
}

func (d *document) fault(offset int, field, reason, hint string) Fault {
	if d.source != nil {
		offset = offsetBefore(d.source, offset)
	}
	return d.sourceFault(offset, field, reason, hint)
}

func (d *document) sourceFault(offset int, field, reason, hint string) Fault {
	return Fault{File: d.file, Line: d.line(offset), Field: field, Reason: reason, Hint: hint}
}

// jsonDocument returns the content of a JSON file. A byte order mark is tolerated.
func jsonDocument(file string, data []byte) document {
	data = trimBOM(data)
	return document{file: file, json: withoutBlanks(data), source: data, line: func(offset int) int { return lineAt(data, offset) }}
}

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// withoutBlanks returns a copy of JSON on one line: without blanks, tabs and line ends between its
// tokens. Invalid JSON stays invalid.
func withoutBlanks(data []byte) []byte {
	size := 0
	for token := range tokens(data) {
		size += len(token)
	}
	packed := make([]byte, 0, size)
	for token := range tokens(data) {
		if n := len(packed); n > 0 && len(token) > 0 && !endsToken(packed[n-1]) && !endsToken(token[0]) {
			packed = append(packed, ' ') // two tokens that nothing else keeps apart
		}
		packed = append(packed, token...)
	}
	return packed
}

// offsetBefore returns the offset in data of the byte at an offset of withoutBlanks(data).
func offsetBefore(data []byte, offset int) int {
	at := 0
	for token := range tokens(data) {
		at = cap(data) - cap(token)
		if offset < len(token) {
			return at + offset
		}
		offset -= len(token)
		at += len(token)
	}
	return at
}

// tokens returns the parts of JSON that whitespace outside of strings separates.
func tokens(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start, quoted := 0, false
		for i := 0; i < len(data); i++ {
			switch c := data[i]; {
			case c == '"':
				quoted = !quoted
			case c == '\\' && quoted:
				i++
			case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
				if start < i && !yield(data[start:i]) {
					return
				}
				start = i + 1
			}
		}
		if start < len(data) {
			yield(data[start:])
		}
	}
}

// endsToken reports whether a byte outside of strings is a token of its own.
func endsToken(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ',', ':':
		return true
	}
	return false
}

// A member is a name and its value in an object of a document.
type member struct {
	name  string
	value jsontext.Value // the bytes of the document
	at    int            // offset of the last byte of the name, whose line is the member's
	start int            // offset of the value
}

// parse splits the object that the document contains into its members. A fault means that it is not
// an object: most likely it was saved halfway.
func (d *document) parse() ([]member, *Fault) {
	members, err := membersOf(d.json, 0)
	if err == nil {
		return members, nil
	}
	text := d.json
	if d.source != nil {
		text = d.source
		_, err = membersOf(text, 0)
	}
	// Reading the whole value finds the same fault, with a better description.
	if _, whole := jsontext.NewDecoder(bytes.NewBuffer(text)).ReadValue(); whole != nil {
		err = whole
	}
	f := d.syntaxFault(text, err)
	return nil, &f
}

var errNotObject = errors.New("must be an object")

// A decoder reads bytes in place. It is reused, because a new one costs mostly memory.
type decoder struct {
	jsontext.Decoder
	buffer bytes.Buffer
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func decode(raw []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.read(raw)
	return d
}

// read begins to read raw.
func (d *decoder) read(raw []byte) {
	d.buffer = *bytes.NewBuffer(raw) // a Buffer is read in place
	d.Reset(&d.buffer)
}

// release lets the decoder be reused. It must not keep what it has read in memory.
func (d *decoder) release() {
	d.read(nil)
	decoders.Put(d)
}

// membersOf splits the JSON object in raw, which must contain nothing else, into its members; base
// is the offset of raw in its document. Names are unique, at any depth.
func membersOf(raw []byte, base int) ([]member, error) {
	dec := decode(raw)
	defer dec.release()
	if kind := dec.PeekKind(); kind != '{' && kind != jsontext.KindInvalid {
		return nil, errNotObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	members := make([]member, 0, 4)
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String(), at: base + int(dec.InputOffset()) - 1}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		start := end - len(value)
		m.value, m.start = raw[start:end:end], base+start
		members = append(members, m)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		at := dec.InputOffset() - 1
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			at = syntax.ByteOffset
		}
		return nil, &jsontext.SyntacticError{ByteOffset: at, Err: errors.New("more text after the end")}
	}
	return members, nil
}

// elements returns the elements of the array m. Those of icons are called icons.0, icons.1, ...
func elements(m member) []member {
	dec := decode(m.value)
	defer dec.release()
	var all []member
	for dec.ReadToken(); dec.PeekKind() != ']'; {
		value, err := dec.ReadValue()
		if err != nil {
			return all // parsing saw that it is valid
		}
		end := int(dec.InputOffset())
		start := end - len(value)
		all = append(all, member{
			name:  m.name + "." + strconv.Itoa(len(all)),
			value: m.value[start:end:end],
			at:    m.start + start,
			start: m.start + start,
		})
	}
	return all
}

// syntaxFault describes to the author why a document is not a JSON object.
func (d *document) syntaxFault(text []byte, err error) Fault {
	if errors.Is(err, errNotObject) {
		return d.sourceFault(0, "", "must be an object", "begin with a field, such as description")
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // io.EOF: nothing but blanks
		return d.sourceFault(0, "", "is empty", "begin with a field, such as description, or remove the file")
	}
	at := int(syntax.ByteOffset)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return d.sourceFault(at, fieldOf(syntax.JSONPointer), "is a duplicate", "keep one of the two")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return d.sourceFault(len(bytes.TrimSpace(text)), "", "is not valid JSON: it ends too early", "close what is open")
	}
	return d.sourceFault(at, "", fmt.Sprintf("is not valid JSON: %v", syntax.Err), syntaxHint(text, at, syntax.Err.Error()))
}

// fieldOf writes a JSON pointer as faults name fields: a.b.c.
func fieldOf(pointer jsontext.Pointer) string {
	var field []byte
	for token := range pointer.Tokens() {
		if len(field) > 0 {
			field = append(field, '.')
		}
		field = append(field, token...)
	}
	return string(field)
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
