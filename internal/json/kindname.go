package json

// KindName returns what JSON calls a kind, for error messages: "an object", "a string", "null".
func KindName(k Kind) string {
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
