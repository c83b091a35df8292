package trace

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	members "github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A patch describes how a JSON value becomes another (RFC 6902).
type patch struct {
	operations []Operation
	size       int // bytes of their paths and values
}

// An Operation is an operation of a patch: add, remove or replace.
type Operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`

	Was json.RawMessage `json:"-"` // what is replaced or removed
}

func (o Operation) String() string { return string(readable(o)) }

// readable returns a value as JSON without escapes of HTML. A decoded value can always be encoded.
func readable(v any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSpace(text.Bytes())
}

// compare adds what changes from into to. Elements of arrays are compared by their index. A patch
// that has become too large is left incomplete.
func (p *patch) compare(path members.Pointer, from, to any) {
	if p.size > maxPatch {
		return
	}
	switch from := from.(type) {
	case map[string]any:
		if to, ok := to.(map[string]any); ok {
			p.members(path, from, to)
			return
		}
	case []any:
		if to, ok := to.([]any); ok {
			p.elements(path, from, to)
			return
		}
	}
	if from != to { // not both objects or both arrays, which cannot be compared like this
		p.add("replace", path, from, to)
	}
}

func (p *patch) members(path members.Pointer, from, to map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		at := path.AppendToken(name)
		if value, ok := to[name]; ok {
			p.compare(at, from[name], value)
		} else {
			p.add("remove", at, from[name], nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(to)) {
		if _, ok := from[name]; !ok {
			p.add("add", path.AppendToken(name), nil, to[name])
		}
	}
}

func (p *patch) elements(path members.Pointer, from, to []any) {
	both := min(len(from), len(to))
	for i := range both {
		p.compare(path.AppendToken(strconv.Itoa(i)), from[i], to[i])
	}
	for _, value := range from[both:] {
		p.add("remove", path.AppendToken(strconv.Itoa(both)), value, nil) // the next one moves to its place
	}
	for i, value := range to[both:] {
		p.add("add", path.AppendToken(strconv.Itoa(both+i)), nil, value)
	}
}

func (p *patch) add(op string, path members.Pointer, was, value any) {
	if p.size > maxPatch {
		return
	}
	o := Operation{Op: op, Path: string(path)}
	if op != "add" {
		o.Was = readable(was)
	}
	if op != "remove" {
		o.Value = readable(value)
	}
	p.operations = append(p.operations, o)
	p.size += len(o.Path) + len(o.Value)
}
