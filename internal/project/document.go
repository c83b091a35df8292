package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// A document is metadata as JSON, in whatever form it was written, and knows on which line of the
// author's file each of its bytes began.
type document struct {
	file string // as faults name it
	json []byte
	line func(offset int) int
}

func (d *document) fault(offset int, field, reason, hint string) Fault {
	return Fault{File: d.file, Line: d.line(offset), Field: field, Reason: reason, Hint: hint}
}

// jsonDocument is the content of a JSON file. A byte order mark is tolerated.
func jsonDocument(file string, data []byte) document {
	data = trimBOM(data)
	return document{file: file, json: data, line: func(offset int) int { return lineAt(data, offset) }}
}

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// A member is a name and its value in an object of a document.
type member struct {
	name  string
	value jsontext.Value // the bytes of the document
	at    int            // offset of the end of the name: its line is the member's
	start int            // offset of the value
}

// parse takes the object that the document is apart. A fault means that it is none: most likely
// it was saved halfway.
func (d *document) parse() ([]member, *Fault) {
	members, err := membersOf(d.json, 0)
	if err == nil {
		return members, nil
	}
	// Reading all at once finds the same fault, and says it better.
	if _, whole := jsontext.NewDecoder(bytes.NewBuffer(d.json)).ReadValue(); whole != nil {
		err = whole
	}
	f := d.syntaxFault(err)
	return nil, &f
}

var errNotObject = errors.New("must be an object")

// membersOf takes apart the JSON object that raw holds and nothing else; base is the offset of raw
// in its document. Names are unique, at any depth.
func membersOf(raw []byte, base int) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw)) // a Buffer is read in place
	if kind := dec.PeekKind(); kind != '{' && kind != jsontext.KindInvalid {
		return nil, errNotObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var members []member
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String(), at: base + int(dec.InputOffset())}
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
		if err == nil {
			err = &jsontext.SyntacticError{ByteOffset: dec.InputOffset() - 1, Err: errors.New("more text after the end")}
		}
		return nil, err
	}
	return members, nil
}

// elements takes the array m apart. The elements of icons are called icons.0, icons.1, ...
func elements(m member) []member {
	dec := jsontext.NewDecoder(bytes.NewBuffer(m.value))
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

// syntaxFault says in the author's words why a document is no JSON object.
func (d *document) syntaxFault(err error) Fault {
	if errors.Is(err, errNotObject) {
		return d.fault(0, "", "must be an object", "begin with a field, such as description")
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // io.EOF: nothing but blanks
		return d.fault(0, "", "is empty", "begin with a field, such as description, or remove the file")
	}
	at := int(syntax.ByteOffset)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return d.fault(at, fieldOf(syntax.JSONPointer), "is a duplicate", "keep one of the two")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return d.fault(len(bytes.TrimSpace(d.json)), "", "is not valid JSON: it ends too early", "close what is open")
	}
	return d.fault(at, "", fmt.Sprintf("is not valid JSON: %v", syntax.Err), syntaxHint(d.json, at))
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

// syntaxHint knows what people who write JSON by hand get wrong.
func syntaxHint(data []byte, at int) string {
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
	case c == '\n' || c == '\r':
		return `write \n for a line break in a string`
	case c == '"' && len(before) > 0 && before[len(before)-1] != ',':
		return "a comma may be missing before it"
	}
	return ""
}
