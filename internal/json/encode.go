package json

// Encode returns the JSON of a value that is known to be encodable, always the same. In it, other JSON stays as it is.
// What is not UTF-8, as in names of files, becomes U+FFFD.
func Encode(v any) []byte {
	text, err := Marshal(v, Deterministic(true), Lenient)
	if err != nil {
		panic(err)
	}
	return text
}

// Sendable returns JSON of another author, ready to be sent: bytes that are not UTF-8 and unpaired surrogates become
// U+FFFD, since clients could not read a message with them. It reports false if text is not JSON. Text that needs no
// repair is returned as it is, not copied.
func Sendable(text []byte) (Value, bool) {
	v := Value(text)
	if v.IsValid(AllowDuplicateNames(true)) {
		return v, true
	}
	if !v.IsValid(Lenient) {
		return nil, false
	}
	v = v.Clone()
	return v, v.Format(Lenient) == nil
}

// Object returns the object with these names and values, in turn. A Value stays as it is, and one that is nil is left
// out.
func Object(pairs ...any) Value {
	text := []byte{'{'}
	for i := 0; i < len(pairs); i += 2 {
		var value []byte
		switch v := pairs[i+1].(type) {
		case Value:
			value = v
		case []byte:
			value = v
		case string:
			value = Quote(v)
		default:
			value = Encode(v)
		}
		if value == nil {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(append(text, Quote(pairs[i].(string))...), ':'), value...)
	}
	return append(text, '}')
}

// Array returns the array of these items.
func Array(items []Value) Value {
	text := []byte{'['}
	for i, item := range items {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, item...)
	}
	return append(text, ']')
}
