package run

import (
	"encoding/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// lenient reads what scripts write: JSON as it comes.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// readJSON returns the JSON that a script wrote, as it can be sent: bytes that
// are no UTF-8 and halves of surrogate pairs become U+FFFD, since a message with
// them is one that clients cannot read. It reports false for what is not JSON.
// Text that needs no mending is returned as it is, not copied.
func readJSON(text []byte) (jsontext.Value, bool) {
	v := jsontext.Value(text)
	if v.IsValid(jsontext.AllowDuplicateNames(true)) {
		return v, true
	}
	if !v.IsValid(lenient) {
		return nil, false
	}
	v = v.Clone()
	return v, v.Format(lenient) == nil
}

// encode writes what is known to be encodable. Strings that are no UTF-8, as
// names of files may be, get U+FFFD.
func encode(v any) json.RawMessage {
	b, err := jsonv2.Marshal(v, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return b
}

// unquoted returns the text of a JSON string, other JSON as it is.
func unquoted(v json.RawMessage) string {
	if jsontext.Value(v).Kind() != '"' {
		return string(v)
	}
	s, _ := jsontext.AppendUnquote(nil, v)
	return string(s)
}
