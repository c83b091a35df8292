package run

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// emptyObject replaces missing arguments and metadata.
var emptyObject = json.RawMessage("{}")

// readJSON returns the JSON that a script wrote, ready to be sent: bytes that are
// not UTF-8 and unpaired surrogates become U+FFFD, since clients could not read a
// message with them. It reports false if text is not JSON. Text that needs no
// repair is returned as it is, not copied.
func readJSON(text []byte) (json.Value, bool) {
	v := json.Value(text)
	if v.IsValid(json.AllowDuplicateNames(true)) {
		return v, true
	}
	if !v.IsValid(json.Lenient) {
		return nil, false
	}
	v = v.Clone()
	return v, v.Format(json.Lenient) == nil
}

// encode returns the JSON of a value that is known to be encodable. Bytes that
// are not UTF-8, as in names of files, become U+FFFD.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v, json.Deterministic(true), json.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return b
}

// unquoted returns the text of a JSON string, other JSON as it is.
func unquoted(v json.RawMessage) string {
	if json.Value(v).Kind() != '"' {
		return string(v)
	}
	return json.Text(json.Value(v))
}
