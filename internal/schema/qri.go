package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/qri-io/jsonschema"
)

// loadKeywords fills the library's global tables, which it otherwise does unguarded when it
// compiles its first schema. Nothing writes to them afterwards.
var loadKeywords = sync.OnceFunc(jsonschema.LoadDraft2019_09)

// qri judges documents by qri-io/jsonschema, as the library is.
type qri struct{ root *jsonschema.Schema }

// compileQri takes schemas that are valid and in the subset, see beyondSubset.
func compileQri(raw []byte) (*qri, error) {
	loadKeywords()
	root := &jsonschema.Schema{}
	if err := root.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("%s rejects it: %w", qriName, err)
	}
	// What a schema's first validation would write into it, so that all of them can run at once.
	root.Register("", &jsonschema.SchemaRegistry{})
	return &qri{root}, nil
}

// takes reports whether the library can judge a document that has so many bytes.
func (q *qri) takes(doc parsed, bytes int, size extent) bool {
	return doc.fitsFloats && !doc.likeBooleans && bytes <= maxPlainBytes &&
		doc.values <= maxPlainValues && doc.values*int(size) <= maxPlainWork
}

// conforms reports whether a document that q takes meets the schema. A panic of the library
// counts as no.
func (q *qri) conforms(ctx context.Context, doc parsed) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return q.root.Validate(ctx, floats(doc.value)).IsValid()
}

// likeBoolean reports whether the library's type keyword takes a string for a boolean.
func likeBoolean(text string) bool {
	_, err := strconv.ParseBool(text[:min(len(text), len("false!"))])
	return err == nil
}

// floats copies a value, with float64 for its numbers.
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
