package pipeline

import (
	"bytes"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"
)

// headSize is how much is kept of the beginning of a line that is too long, and of an id in it.
const headSize = 200

// A longLineReader is an io.Writer that takes a line that is too long to be kept, and finds what it is about: the id
// of a call stands at its beginning or, as many clients write it, at its end.
type longLineReader struct {
	head            []byte
	depth           int
	quoted, escaped bool   // within a text, behind a backslash
	word            []byte // the name or value of a member of the outer object that is being read
	name            string // of that member, "" before its colon
	id              ID
	ids             int
	request, answer bool // it has a method, a result or an error
}

func (l *longLineReader) Write(part []byte) (int, error) {
	l.head = append(l.head, part[:min(len(part), headSize-len(l.head))]...)
	for _, c := range part {
		switch {
		case l.escaped:
			l.escaped = false
		case l.quoted:
			l.escaped, l.quoted = c == '\\', c != '"'
		case c == '"':
			l.quoted = true
		case c == '{', c == '[':
			if l.depth++; l.depth == 1 {
				continue
			}
		case c == '}', c == ']':
			if l.depth--; l.depth == 0 {
				l.member()
			}
		case l.depth == 1 && c == ':':
			if len(l.word) > 1 && l.word[0] == '"' {
				l.name = string(text(l.word))
			}
			l.word = l.word[:0]
			continue
		case l.depth == 1 && c == ',':
			l.member()
			continue
		}
		if l.depth == 1 && len(l.word) < headSize && (l.quoted || c > ' ') {
			l.word = append(l.word, c)
		}
	}
	return len(part), nil
}

// member takes the member that was read.
func (l *longLineReader) member() {
	switch l.name {
	case "id":
		if l.ids++; len(l.word) < headSize && utf8.Valid(l.word) {
			l.id, _ = ParseID(l.word)
		}
	case "method":
		l.request = true
	case "result", "error":
		l.answer = true
	}
	l.name, l.word = "", l.word[:0]
}

// refused returns the error for the line. A response to a call of ours ends that call.
func (l *longLineReader) refused(max int) *LineError {
	e := &LineError{
		Fault:    Errorf(jsonrpc2.CodeInvalidRequest, "invalid request: the line is longer than %d bytes", max),
		Line:     bytes.TrimSpace(l.head),
		response: l.answer && !l.request,
	}
	if l.ids == 1 { // of two nobody knows which one counts
		e.id = l.id
	}
	return e
}
