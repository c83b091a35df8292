package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// kinds is a set of types.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	integer
	fraction // a number that is not an integer
	text
	array
	object
)

var kindNames = map[string]kinds{
	"null": null, "boolean": boolean, "integer": integer, "number": integer | fraction,
	"string": text, "array": array, "object": object,
}

func kindOf(v any) kinds {
	switch v := v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") || readNumber(v).IsInt() {
			return integer
		}
		return fraction
	case string:
		return text
	case []any:
		return array
	}
	return object
}

// readNumber returns the exact value of a number of any size. The parser has refused those that are too long.
func readNumber(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// A valueSet is the values that const or enum allow.
type valueSet struct {
	kinds kinds
	texts map[string]struct{}
	keys  map[string]struct{} // of all other values, see keyOf
}

func newValueSet(values ...any) *valueSet {
	s := &valueSet{texts: map[string]struct{}{}, keys: map[string]struct{}{}}
	for _, v := range values {
		s.kinds |= kindOf(v)
		if text, ok := v.(string); ok {
			s.texts[text] = struct{}{}
			continue
		}
		s.keys[keyOf(v, func() {})] = struct{}{}
	}
	return s
}

// has reports whether v is in the set. It calls step for each value within v that it
// visits.
func (s *valueSet) has(v any, step func()) bool {
	if kindOf(v)&s.kinds == 0 {
		return false
	}
	if text, ok := v.(string); ok {
		_, has := s.texts[text]
		return has
	}
	_, has := s.keys[keyOf(v, step)]
	return has
}

// keyOf returns a string for v that is the same for equal values, and only for those. It
// calls step for each value in v.
func keyOf(v any, step func()) string {
	var b strings.Builder
	writeKey(&b, v, step)
	return b.String()
}

func writeKey(b *strings.Builder, v any, step func()) {
	step()
	switch v := v.(type) {
	case nil:
		b.WriteByte('n')
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case json.Number:
		b.WriteString(readNumber(v).RatString())
	case string:
		writeText(b, v)
	case []any:
		b.WriteByte('[')
		for _, item := range v {
			writeKey(b, item, step)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			writeText(b, name)
			writeKey(b, v[name], step)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

// writeText writes a text prefixed by its length, so that its end is unambiguous.
func writeText(b *strings.Builder, text string) {
	b.WriteByte('"')
	b.WriteString(strconv.Itoa(len(text)))
	b.WriteByte(':')
	b.WriteString(text)
}
