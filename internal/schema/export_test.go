package schema

import "errors"

// CompileWith is Compile with documents for external references.
func CompileWith(raw []byte, document func(url string) ([]byte, bool)) (*Schema, error) {
	return compile(raw, func(url string) (any, error) {
		text, ok := document(url)
		if !ok {
			return nil, errors.New("no such document")
		}
		return schemaIn(text)
	})
}

// Broken returns a schema that panics instead of validating.
func Broken() *Schema { return &Schema{} }

// Sound reports whether the quick check finds a schema valid.
func Sound(raw []byte) bool {
	value, err := schemaIn(raw)
	return err == nil && sound(value)
}
