package schema

import (
	"context"
	"errors"
)

// CompileWith is Compile with documents for external references.
func CompileWith(raw []byte, document func(url string) ([]byte, bool)) (*Schema, error) {
	return compile(raw, func(url string) (any, error) {
		text, ok := document(url)
		if !ok {
			return nil, errors.New("no such document")
		}
		p, err := parse(text, maxSchemaDepth)
		return p.value, err
	})
}

// Both reports whether a document conforms by qri, if qri supports it, and the faults that
// the exact engine finds.
func (s *Schema) Both(doc []byte) (taken, conforms bool, faults []Fault, err error) {
	p, err := parse(doc, maxDocumentDepth)
	if err != nil {
		return false, false, nil, err
	}
	if taken = s.plain != nil && s.plain.takes(p, len(doc), s.size); taken {
		conforms = s.plain.conforms(context.Background(), p)
	}
	found, err := s.exact.validate(context.Background(), p)
	return taken, conforms, describe(found, p.value), err
}

// WithPanics returns the schema with engines that panic instead of validating.
func (s *Schema) WithPanics(inPlain, inExact bool) *Schema {
	broken := *s
	if inPlain {
		broken.plain = &qri{}
	}
	if inExact {
		broken.exact = exact{}
	}
	return &broken
}

// JudgedExactly reports whether Validate uses the exact engine for a document.
func (s *Schema) JudgedExactly(doc []byte) bool {
	used := false
	spied := *s
	spied.exact = spy(func() { used = true })
	_, _ = spied.Validate(context.Background(), doc)
	return used
}

// A spy is an engine that calls a function instead of validating.
type spy func()

func (s spy) validate(context.Context, parsed) ([]finding, error) {
	s()
	return nil, nil
}

// Sound reports whether the quick check finds a schema valid.
func Sound(raw []byte) bool { return sound(raw) }
