// Package schema validates JSON documents against JSON Schemas: the arguments of a
// tool, its structured output, an answer that was elicited.
//
//	s, err := schema.Compile(inputSchema)    // when the tool is registered
//	faults, err := s.Validate(ctx, arguments)   // at every call
//
// Two engines share the work, and this package is the only one that knows them.
// qri-io/jsonschema says which documents conform to the plain schemas that most tools
// have: the subset in which its keywords are right. The exact engine, which is in this
// package, checks every schema against its metaschema, judges by all the others and those
// documents that the library would misread, and finds the faults of all documents. It costs
// nothing until it is used and can be ended at any time, which no library was found
// to do.
//
// Nothing is ever fetched: a reference that leads out of its schema is refused
// when the schema is compiled (T-18). Schemas and documents are bounded in size,
// depth and work, see bounds.go (T-19). `format` is an annotation in every dialect.
package schema

import (
	"context"
	"slices"
)

// A Schema is a checked JSON Schema, ready to validate. It is safe for
// concurrent use.
type Schema struct {
	exact    engine // takes every schema
	plain    *qri   // nil when the schema is not in the subset that it takes
	reason   string // why plain is what it is
	size     extent
	warnings []string
}

// An engine validates documents against one schema. Its findings come in no particular
// order. An error means that the engine gave up.
type engine interface {
	validate(ctx context.Context, doc parsed) ([]finding, error)
}

// The engines as Engine names them.
const (
	qriName   = "qri-io/jsonschema"
	exactName = "the exact engine"
)

// Compile checks a schema and prepares it for validation. Without $schema it is
// read as 2020-12; 2019-09 and drafts 07, 06 and 04 are supported too (T-17).
// The error says what is wrong with the schema and, as a JSON pointer, where. Of
// raw nothing is kept.
func Compile(raw []byte) (*Schema, error) {
	return compile(raw, nil)
}

// Validate checks a JSON document against the schema and returns its faults, sorted by
// pointer, or none when it conforms. Of many thousand faults some are left out. An error
// means that the document was not judged: it is not JSON, it is over one of the bounds, or
// ctx has ended, which is looked at all the time.
func (s *Schema) Validate(ctx context.Context, doc []byte) ([]Fault, error) {
	parsed, err := parse(doc, maxDocumentDepth)
	if err != nil {
		return nil, err
	}
	if s.plain != nil && s.plain.takes(parsed, len(doc), s.size) && s.plain.conforms(ctx, parsed) {
		return nil, nil
	}
	found, err := s.exact.validate(ctx, parsed)
	if err != nil {
		return nil, err
	}
	return inWords(found, parsed.value), nil
}

// Engine names the engine that validates by this schema, and why it is that one.
func (s *Schema) Engine() (name, reason string) {
	if s.plain != nil {
		return qriName, s.reason
	}
	return exactName, s.reason
}

// Warnings returns what the schema asks for and validation leaves out: patterns
// that no regular expression engine takes.
func (s *Schema) Warnings() []string {
	return slices.Clone(s.warnings)
}
