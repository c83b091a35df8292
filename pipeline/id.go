package pipeline

import (
	"bytes"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An ID identifies a call: a JSON string or number in exactly the spelling in which it came, so
// that 1, "1", 1.0 and 2^60 all return as they were sent (J-02). The zero ID means no id.
type ID struct{ raw string }

// ParseID reads an id from JSON. It reports false for everything that cannot identify a call: null,
// booleans, objects, arrays, and invalid JSON (J-04).
func ParseID(raw []byte) (ID, bool) {
	raw = bytes.TrimSpace(raw)
	v := json.Value(raw)
	if k := v.Kind(); k != '"' && k != '0' || !v.IsValid(json.Lenient) {
		return ID{}, false
	}
	return ID{string(raw)}, true
}

// String returns the id as it is on the wire, "" for no id.
func (id ID) String() string { return id.raw }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.raw == "" }

// Key returns a text that is equal for all spellings of the same id, for use in maps: "a" and
// "\u0061" have one key, 1 and "1" have two.
func (id ID) Key() string {
	for i := range len(id.raw) {
		if id.raw[i] == '\\' {
			if s, err := json.AppendUnquote(nil, id.raw); err == nil {
				if q, err := json.AppendQuote(nil, s); err == nil {
					return string(q)
				}
			}
			break
		}
	}
	return id.raw
}
