package schema

import "strings"

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// escape returns a name or an index as a token of a JSON pointer (RFC 6901).
func escape(token string) string { return escaper.Replace(token) }

// pointer joins tokens to a JSON pointer; "" is the root.
func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		escaper.WriteString(&b, token)
	}
	return b.String()
}

// tokens splits a JSON pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	split := strings.Split(pointer[1:], "/")
	for i, token := range split {
		split[i] = unescaper.Replace(token)
	}
	return split
}

// lookup returns the value at a place in a document, nil if there is none.
func lookup(doc any, at []string) any {
	value, _ := find(doc, at)
	return value
}

// An Error is an error at a place in a document.
type Error struct {
	pointer string
	err     error
}

func (p *Error) Error() string {
	text := p.err.Error()
	if p.pointer != "" {
		text = "at " + clipPointer(p.pointer) + ": " + text
	}
	if _, meta := p.err.(invalid); meta {
		text = "not a valid schema: " + text
	}
	return text
}

// Unwrap returns the error without its place.
func (p *Error) Unwrap() error { return p.err }

// Pointer returns the JSON pointer to the faulty value.
func (p *Error) Pointer() string { return p.pointer }

// Keyword returns the keyword in a schema that the place belongs to, "" if a schema itself is faulty.
func (p *Error) Keyword() string { return keywordAt(tokens(p.pointer)) }

// within adds the member or item token to the place of err. The pointer is built while
// returning an error, so that it costs nothing otherwise.
func within(token string, err error) error {
	p, ok := err.(*Error)
	if !ok {
		p = &Error{err: err}
	}
	p.pointer = "/" + escape(token) + p.pointer
	return p
}
