package catalog

import "github.com/mcp-bash/mcp-bash/v2/internal/json"

// An objectWriter collects the members of an object: their names and values, in turn.
type objectWriter []any

func (w *objectWriter) add(name string, value any) { *w = append(*w, name, value) }

// json adds a value that is absent if it is nil.
func (w *objectWriter) json(name string, value json.Value) { w.add(name, value) }

// text adds a text that is absent if it is empty.
func (w *objectWriter) text(name, value string) {
	if value != "" {
		w.add(name, value)
	}
}

func (w objectWriter) object() json.Value { return json.Object(w...) }
