package json

import (
	"bytes"
	stdjson "encoding/json"
)

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

// Exact decodes a value as encoding/json does, with numbers as they are spelled, as a [Number].
func Exact(text []byte) (v any, err error) {
	d := stdjson.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}
