// Package schema validates JSON documents against JSON Schemas: the arguments of a
// tool, its structured output, the answer to an elicitation.
//
//	s, err := schema.Compile(inputSchema)    // when the tool is registered
//	faults, err := s.Validate(ctx, arguments)   // at every call
//
// Two engines share the work, and only this package uses them. The library qri-io/jsonschema
// decides which documents conform to the plain schemas that most tools have: the subset of
// keywords that it implements correctly. The exact engine, which is part of this package,
// checks every schema against its metaschema, validates by all other schemas and the
// documents that the library would misread, and finds the faults of all documents. It costs
// nothing until it is used and can be cancelled at any time, which no library was found to
// support.
//
// Nothing is ever fetched: a reference to another document is refused when the schema
// is compiled (T-18). Schemas and documents are bounded in size,
// depth and work, see bounds.go (T-19). `format` is an annotation in every dialect.
package schema

import "context"

// A Schema is a checked JSON Schema, ready to validate. It is safe for
// concurrent use.
type Schema struct {
	exact  engine // supports every schema
	plain  *qri   // nil if the schema is not in its subset
	reason string // why plain is nil or not
	size   extent
}

// An engine validates documents against one schema. Its findings are in no particular order.
// An error means that the document was not validated.
type engine interface {
	validate(ctx context.Context, doc parsed) ([]finding, error)
}

// The names of the engines, as Engine returns them.
const (
	qriName   = "qri-io/jsonschema"
	exactName = "the exact engine"
)

// Compile checks a schema and prepares it for validation. Without $schema it is
// read as 2020-12; 2019-09 and drafts 07, 06 and 04 are supported too (T-17).
// The error describes what is wrong with the schema and, as a JSON pointer, where.
// raw is not retained.
func Compile(raw []byte) (*Schema, error) {
	return compile(raw, nil)
}

// Validate checks a JSON document against the schema and returns its faults, sorted by
// pointer, or none if it conforms. Of many thousand faults some are left out. An error
// means that the document was not validated: it is not JSON, it exceeds one of the bounds, or
// ctx has ended, which is checked regularly.
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
	return describe(found, parsed.value), nil
}

// Engine returns the name of the engine that is used for this schema, and the reason.
func (s *Schema) Engine() (name, reason string) {
	if s.plain != nil {
		return qriName, s.reason
	}
	return exactName, s.reason
}
