package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/qri-io/jsonschema"
)

// loadKeywords fills the library's global tables. Otherwise the library does that when it compiles its
// first schema, without a lock. The tables are not written to afterwards.
var loadKeywords = sync.OnceFunc(jsonschema.LoadDraft2019_09)

// qri validates documents with the unmodified library qri-io/jsonschema.
type qri struct{ root *jsonschema.Schema }

// compileQri compiles a schema that is valid and in the subset, see beyondSubset.
func compileQri(raw []byte) (*qri, error) {
	loadKeywords()
	root := &jsonschema.Schema{}
	if err := root.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("%s rejects it: %w", qriName, err)
	}
	// The first validation would write to the schema; after this, validations can run concurrently.
	root.Register("", &jsonschema.SchemaRegistry{})
	return &qri{root}, nil
}

// takes reports whether the library can validate a document with so many bytes.
func (q *qri) takes(doc parsed, bytes int, size extent) bool {
	return doc.fitsFloats && !doc.likeBooleans && bytes <= maxPlainBytes &&
		doc.values <= maxPlainValues && doc.values*int(size) <= maxPlainWork
}

// conforms reports whether a document that q takes conforms to the schema, false if the library
// panics.
func (q *qri) conforms(ctx context.Context, doc parsed) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return q.root.Validate(ctx, floats(doc.value)).IsValid()
}

// likeBoolean reports whether the library treats a string as a boolean in the keyword type.
func likeBoolean(text string) bool {
	_, err := strconv.ParseBool(text[:min(len(text), len("false!"))])
	return err == nil
}

// floats returns a copy of a value with numbers as float64.
func floats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = floats(item)
		}
		return items
	case map[string]any:
		members := make(map[string]any, len(v))
		for name, member := range v {
			members[name] = floats(member)
		}
		return members
	}
	return v
}
