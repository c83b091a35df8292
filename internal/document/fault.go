package document

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Fault is an error in the files of a project, described so that the author can fix it. It prints
// as
//
//	tools/x/tool.meta.json:12: inputSchema: must be an object, not a string; write {"type":"object"}
type Fault struct {
	File    string // relative to the root, with slashes; absolute if it is outside
	Line    int    // counted from 1; 0 if it is not about a line
	Field   string // the metadata field, as in annotations.title; may be empty
	Reason  string // what is wrong
	Hint    string // what to do; may be empty
	Warning bool   // the entry is served nevertheless
}

func (f Fault) String() string {
	text := Printable(f.File)
	if f.Line > 0 {
		text += ":" + strconv.Itoa(f.Line)
	}
	if f.Field != "" {
		text += ": " + Printable(f.Field)
	}
	text += ": " + f.Reason
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return text
}

// OneLine writes foreign text on one line, without control characters.
func OneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return strings.Join(strings.FieldsFunc(text, blank), " ")
}

// Printable quotes names that would break a log line, or a terminal.
func Printable(name string) string {
	if OddName(name) {
		return strconv.Quote(name)
	}
	return name
}

// OddName reports whether a name has control characters or is not valid UTF-8.
func OddName(name string) bool {
	return !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl)
}
