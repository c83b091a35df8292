package schema

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Check returns the same error as Compile. It is much faster for the schemas that most tools have.
func Check(raw []byte) error {
	if len(raw) <= maxSoundBytes && sound(json.Value(raw)) {
		return nil
	}
	_, err := Compile(raw)
	return err
}

// maxSoundBytes is the maximum size of schemas for the quick check. Schemas of that size
// cannot exceed the other bounds.
const maxSoundBytes = 32 << 10

// sound reports whether a schema is valid without a check against its metaschema: it has only
// common keywords, with values that are always valid.
func sound(raw json.Value) bool {
	d := soundDecoders.Get().(*json.Decoder)
	defer func() { d.Reset(new(bytes.Buffer)); soundDecoders.Put(d) }()
	d.Reset(bytes.NewBuffer(raw)) // a Buffer is read in place
	r := soundReader{d}
	if d.PeekKind() != '{' || !r.schema() {
		return false
	}
	_, err := d.ReadToken()
	return err == io.EOF
}

// soundDecoders are reused, because a new decoder takes more memory than most schemas.
var soundDecoders = sync.Pool{New: func() any { return json.NewDecoder(new(bytes.Buffer)) }}

type soundReader struct{ *json.Decoder }

// schema reads one schema.
func (r soundReader) schema() bool {
	if k := r.PeekKind(); k == 't' || k == 'f' {
		return r.SkipValue() == nil
	}
	return r.members(r.keyword)
}

// members reads an object and calls each for each member.
func (r soundReader) members(each func(name string) bool) bool {
	if r.PeekKind() != '{' || r.StackDepth() >= maxSoundDepth {
		return false
	}
	if _, err := r.ReadToken(); err != nil {
		return false
	}
	for r.PeekKind() == '"' {
		name, err := r.ReadToken()
		if err != nil || !each(name.String()) {
			return false
		}
	}
	_, err := r.ReadToken()
	return err == nil
}

// maxSoundDepth is the maximum depth of schemas, as the decoder counts it.
const maxSoundDepth = maxSchemaDepth / 2

func (r soundReader) keyword(name string) bool {
	switch name {
	case "title", "description", "$comment", "format":
		return r.text(func(string) bool { return true })
	case "type":
		return r.text(func(name string) bool { return kindNames[name] != 0 })
	case "properties":
		return r.members(func(string) bool { return r.schema() })
	case "items", "additionalProperties":
		return r.schema()
	case "required":
		return r.names()
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return r.number(func(text string) bool { return len(text) <= floatDigits && !strings.ContainsAny(text, "-.eE") })
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return r.number(func(text string) bool { return len(text) <= floatDigits && !strings.ContainsAny(text, "eE") })
	case "enum":
		return r.PeekKind() == '[' && r.plain()
	case "default", "const":
		return r.plain()
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		k := r.PeekKind()
		return (k == 't' || k == 'f') && r.SkipValue() == nil
	}
	return false
}

func (r soundReader) text(allowed func(string) bool) bool {
	if r.PeekKind() != '"' {
		return false
	}
	t, err := r.ReadToken()
	return err == nil && allowed(t.String())
}

func (r soundReader) number(allowed func(string) bool) bool {
	if r.PeekKind() != '0' {
		return false
	}
	v, err := r.ReadValue()
	return err == nil && allowed(string(v))
}

// names reads a list of distinct names.
func (r soundReader) names() bool {
	if r.PeekKind() != '[' {
		return false
	}
	if _, err := r.ReadToken(); err != nil {
		return false
	}
	var known []string
	for r.PeekKind() == '"' && len(known) < 1_000 {
		name, err := r.ReadToken()
		if err != nil || slices.Contains(known, name.String()) {
			return false
		}
		known = append(known, name.String())
	}
	end, err := r.ReadToken()
	return err == nil && end.Kind() == ']'
}

// plain reads a value that is well within the bounds: with numbers of usual length, and not
// deep.
func (r soundReader) plain() bool {
	depth := r.StackDepth()
	for {
		switch r.PeekKind() {
		case '0':
			if v, err := r.ReadValue(); err != nil || len(v) > floatDigits || bytes.ContainsAny(v, "eE") {
				return false
			}
		default:
			if _, err := r.ReadToken(); err != nil || r.StackDepth() > maxSoundDepth {
				return false
			}
		}
		if r.StackDepth() == depth {
			return true
		}
	}
}
