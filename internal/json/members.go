package json

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Member is a member of an object or an element of an array, as it stands in a text.
type Member struct {
	Name  string // "" for an element
	Value Value  // part of the text
	At    int    // where the name begins, or the element
	Start int    // where the value begins
}

// End returns where the value ends.
func (m Member) End() int { return m.Start + len(m.Value) }

// ErrKind is the error for a value that is not of the expected kind.
var ErrKind = errors.New("has another type")

// Members returns the members of the object, or the elements of the array, that text is, in order. Nothing may follow
// it. An error is the last, with a zero member: a [SyntacticError], [ErrKind] or io.EOF for an empty text. Without
// options, names are unique and all is UTF-8, at any depth.
func Members(text []byte, kind Kind, o ...Options) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		s := scanners.Get().(*scanner)
		defer s.release()
		s.read(text, o...)
		if got := s.PeekKind(); got != kind && got != KindInvalid {
			yield(Member{}, ErrKind)
			return
		}
		s.ReadToken() // its error, of an empty text, comes again
		for k := s.PeekKind(); k != '}' && k != ']' && k != KindInvalid; k = s.PeekKind() {
			m, err := s.member(text, kind)
			if !yield(m, err) || err != nil {
				return
			}
		}
		_, err := s.ReadToken() // the last bracket
		if err == nil {
			err = s.nothing()
		}
		if err != nil {
			yield(Member{}, err)
		}
	}
}

// A scanner reads a text in place. It is reused, because a new decoder takes more memory than most texts.
type scanner struct {
	Decoder
	text bytes.Buffer
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) read(text []byte, o ...Options) {
	s.text = *bytes.NewBuffer(text) // a Buffer is read in place
	s.Reset(&s.text, o...)
}

// release lets the scanner be reused. It must not keep what it has read in memory.
func (s *scanner) release() {
	s.read(nil)
	scanners.Put(s)
}

// member reads the next member or element.
func (s *scanner) member(text []byte, kind Kind) (m Member, err error) {
	if kind == '{' {
		name, err := s.ReadValue()
		if err != nil {
			return m, err
		}
		m.At = int(s.InputOffset()) - len(name)
		m.Name = Text(name)
	}
	value, err := s.ReadValue()
	if err != nil {
		return Member{}, err
	}
	end := int(s.InputOffset())
	m.Start = end - len(value)
	if kind == '[' {
		m.At = m.Start
	}
	m.Value = text[m.Start:end:end]
	return m, nil
}

// nothing makes sure that nothing follows.
func (s *scanner) nothing() error {
	_, err := s.ReadToken()
	if err == io.EOF {
		return nil
	}
	at := s.InputOffset() - 1
	if syntax, ok := errors.AsType[*SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	return &SyntacticError{ByteOffset: at, Err: errors.New("more text after the end")}
}

// Find returns a member of an object, the last one of that name; ok is false if there is none, or if text is not an
// object.
func Find(text []byte, name string) (found Member, ok bool) {
	for m, err := range Members(text, '{', Lenient) {
		if err != nil {
			return Member{}, false
		}
		if m.Name == name {
			found, ok = m, true
		}
	}
	return found, ok
}

// Ambiguous returns which of the names an object has twice, or in another spelling, such as Name: whoever reads it may
// take another member than a check does, as encoding/json takes Name for name. It is empty for an object without any.
func Ambiguous(object []byte, names ...string) string {
	seen := map[string]bool{}
	for m, err := range Members(object, '{', Lenient) {
		named := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(m.Name, name) })
		if err == nil && named >= 0 && (seen[m.Name] || m.Name != names[named]) {
			return names[named]
		}
		seen[m.Name] = true
	}
	return ""
}

// Elements returns the elements of an array, nil for anything else.
func Elements(text []byte) []Value {
	all := []Value{}
	for m, err := range Members(text, '[', Lenient) {
		if err != nil {
			return nil
		}
		all = append(all, m.Value)
	}
	return all
}

// Text returns the text of a JSON string, "" for anything else. What is not UTF-8 becomes U+FFFD.
func Text(v Value) string {
	switch {
	case v.Kind() != '"':
		return ""
	case bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v):
		return string(v[1 : len(v)-1])
	}
	s, _ := AppendUnquote(nil, v)
	return string(s)
}

// Quote returns a text as a JSON string. What is not UTF-8 becomes U+FFFD.
func Quote(text string) Value {
	v, _ := AppendQuote(nil, text)
	return v
}
