// Package schema holds JSON documents against JSON Schemas: the arguments of a
// tool, its structured output, an answer that was elicited.
//
//	s, err := schema.Compile(inputSchema)    // when the tool is registered
//	faults, err := s.Validate(arguments)     // at every call
//
// Two engines share the work, and this package is the only one that knows them.
// qri-io/jsonschema takes the plain schemas that most tools have: the subset
// in which it is right, checked keyword by keyword. santhosh-tekuri/jsonschema
// checks every schema against its metaschema and takes all the others, and
// those documents that are large or whose numbers a float64 cannot keep. Which
// engine answers depends on the schema and the document alone, and the faults
// read the same from both.
//
// Nothing is ever fetched: a reference that leads out of its schema is refused
// when the schema is compiled (T-18). Schemas and documents are bounded in size,
// depth and work, see bounds.go (T-19). `format` is an annotation in every dialect.
package schema

import "slices"

// A Schema is a checked JSON Schema, ready to validate. It is safe for
// concurrent use.
type Schema struct {
	exact    engine  // takes every schema
	plain    engine  // takes the qri subset; nil when the schema is not in it
	reason   string  // why plain is what it is
	budget   *budget // nil when the work of a value is bounded by the schema alone
	steps    steps
	warnings []string
}

// An engine holds a document, as parse returns it, against one schema. Its
// findings come in no particular order. An error means that the engine gave up.
type engine interface {
	validate(doc any) ([]finding, error)
}

// The engines as Engine names them.
const (
	qriName      = "qri-io/jsonschema"
	santhoshName = "santhosh-tekuri/jsonschema"
)

// Compile checks a schema and prepares it for validation. Without $schema it is
// read as 2020-12; 2019-09 and drafts 07, 06 and 04 are supported too (T-17).
// The error says what is wrong with the schema and, as a JSON pointer, where. Of
// raw nothing is kept.
func Compile(raw []byte) (*Schema, error) {
	return compile(raw, nil)
}

// Validate holds a JSON document against the schema and returns all its faults,
// sorted by pointer, or none when it conforms. An error means that the document
// was not judged: it is no JSON, or over one of the bounds.
func (s *Schema) Validate(doc []byte) ([]Fault, error) {
	parsed, err := parse(doc, maxDocumentDepth)
	if err != nil {
		return nil, err
	}
	if err := s.budget.check(parsed.value); err != nil {
		return nil, err
	}
	steps, err := s.steps.check(parsed, len(doc))
	if err != nil {
		return nil, err
	}
	if s.plain != nil && parsed.fitsFloats && parsed.values <= maxPlainValues && steps <= maxPlainSteps {
		if found, err := s.plain.validate(floats(parsed.value)); err == nil {
			return inWords(found, parsed.value), nil
		}
		// The engine met something it cannot express. The exact one can.
	}
	found, err := s.exact.validate(parsed.value)
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
	return santhoshName, s.reason
}

// Warnings tells what the schema asks for and validation leaves out: patterns
// that no regular expression engine takes.
func (s *Schema) Warnings() []string {
	return slices.Clone(s.warnings)
}
