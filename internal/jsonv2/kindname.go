package jsonv2

import "github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"

// KindName returns what JSON calls a kind, for error messages: "an object", "a string", "null". It is
// not in the library.
func KindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}
