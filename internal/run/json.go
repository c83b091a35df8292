package run

import (
	"encoding/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// lenient are the options for JSON that scripts write: duplicate names and invalid UTF-8 are accepted.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// emptyObject replaces missing arguments and metadata.
var emptyObject = json.RawMessage("{}")

// readJSON returns the JSON that a script wrote, ready to be sent: bytes that are
// not UTF-8 and unpaired surrogates become U+FFFD, since clients could not read a
// message with them. It reports false if text is not JSON. Text that needs no
// repair is returned as it is, not copied.
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

// encode returns the JSON of a value that is known to be encodable. Bytes that
// are not UTF-8, as in names of files, become U+FFFD.
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
