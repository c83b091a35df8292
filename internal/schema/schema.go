// Package schema validates JSON documents against JSON Schemas: the arguments of a
// tool, its structured output, the answer to an elicitation.
//
//	s, err := schema.Compile(inputSchema)    // when the tool is registered
//	faults, err := s.Validate(ctx, arguments)   // at every call
//
// It costs nothing until it is used and can be cancelled at any time, which no library was found to
// support.
//
// Nothing is ever fetched: a reference to another document is refused when the schema
// is compiled (T-18). Schemas and documents are bounded in size,
// depth and work, see bounds.go (T-19). `format` is an annotation in every dialect.
package schema

import (
	"context"
	"fmt"
)

// A Schema is a checked JSON Schema, ready to validate. It is safe for
// concurrent use.
type Schema struct{ root *rule }

// Compile checks a schema and prepares it for validation. Without $schema it is
// read as 2020-12; 2019-09 and drafts 07, 06 and 04 are supported too (T-17).
// The error describes what is wrong with the schema and, as a JSON pointer, where.
// raw is not retained.
func Compile(raw []byte) (*Schema, error) { return compile(raw, nil) }

// compile is Compile with a loader of documents outside of the schema, which only
// tests have.
func compile(raw []byte, load loader) (*Schema, error) {
	value, err := schemaIn(raw)
	if err != nil {
		return nil, err
	}
	r := &reading{resources: map[string]*resource{}, patterns: map[string]*pattern{}, load: load}
	root, err := r.document(rootURL, value, &dialects[0])
	if err == nil {
		err = r.follow()
	}
	if err == nil {
		err = measure(root)
	}
	if err != nil {
		return nil, err
	}
	return &Schema{root}, nil
}

// Check returns the same error as Compile. It is much faster for the schemas that most tools have.
func Check(raw []byte) (err error) {
	defer func() {
		if p := recover(); p != nil { // one schema must not stop the server
			err = fmt.Errorf("the check of this schema failed: %v", p)
		}
	}()
	value, err := schemaIn(raw)
	if err != nil || len(raw) <= maxSoundBytes && sound(value) {
		return err
	}
	_, err = Compile(raw)
	return err
}

// schemaIn parses a schema.
func schemaIn(raw []byte) (any, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes, more than %d", len(raw), maxSchemaBytes)
	}
	value, _, err := parse(raw, maxSchemaDepth)
	return value, err
}

// Validate checks a JSON document against the schema and returns its faults, sorted by
// place, or none if it conforms. Of many thousand faults some are left out. An error
// means that the document was not validated: it is not JSON, it exceeds one of the bounds, or
// ctx has ended, which is checked regularly.
func (s *Schema) Validate(ctx context.Context, doc []byte) ([]Fault, error) {
	value, found, err := s.findings(ctx, doc)
	if err != nil {
		return nil, err
	}
	return describe(found, value), nil
}

// findings parses and validates a document.
func (s *Schema) findings(ctx context.Context, doc []byte) (value any, found []finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the validation failed: %v", p)
		}
	}()
	value, size, err := parse(doc, maxDocumentDepth)
	if err != nil {
		return nil, nil, err
	}
	limit := min(fewSteps+maxStepsPerValue*size, maxSteps)
	found, err = evaluate(ctx, evaluation{limit: limit, values: size}, s.root, value)
	return value, found, err
}
