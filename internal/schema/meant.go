package schema

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// maxRounds is how often Meant validates: a list in a string has items of its own that are strings.
const maxRounds = 8

// Meant reads a document that does not conform as what its author meant, and returns it with the number of
// values that it changed. Conforms reports whether the document then does. Where one type is allowed, these are
// read as a value of it:
//
//	a string that spells exactly such a value    "5", "true", "[1,2]"
//	a number or a boolean, for a string          5, as it is spelled
//	null, for a member that may be absent        it is removed
//	another string, for an array                 "a.txt" is ["a.txt"], but for one that begins like an array
//
// All else stays as it is spelled.
func (s *Schema) Meant(ctx context.Context, doc []byte) (meant []byte, changed int, conforms bool) {
	for range maxRounds {
		read, found, err := s.findings(ctx, doc)
		if err != nil || len(found) == 0 {
			return doc, changed, err == nil
		}
		all := &edit{}
		before := changed
		for _, f := range found {
			if text, ok := f.meant(read); ok && all.set(f.at, text) {
				changed++
			}
		}
		if changed == before {
			break
		}
		value := all.apply(doc)
		value.Compact()
		doc = value
	}
	return doc, changed, false
}

// meant returns the JSON text for the value of a finding, empty to remove it.
func (f finding) meant(doc any) (value []byte, ok bool) {
	got, _ := find(doc, f.at)
	if got == nil && len(f.at) > 0 && slices.Contains([]string{"type", "enum", "const", "anyOf", "oneOf"}, f.keyword) {
		around, _ := find(doc, f.at[:len(f.at)-1])
		_, member := around.(map[string]any)
		return nil, member
	}
	want := f.kinds()
	one := want == integer|fraction || want != 0 && want&(want-1) == 0
	if !one || want&kindOf(got) != 0 {
		return nil, false
	}
	switch got := got.(type) {
	case string:
		spelled, _, err := parse([]byte(got), maxDocumentDepth)
		exactly := err == nil && strings.TrimSpace(got) == got
		if exactly && kindOf(spelled)&want != 0 {
			return []byte(got), true
		}
		return json.Array([]json.Value{json.Quote(got)}), want == array && got != "" && !strings.HasPrefix(got, "[")
	case json.Number, bool:
		return []byte(strconv.Quote(fmt.Sprint(got))), want == text
	}
	return nil, false
}

// kinds are the types that a finding allows at its place, zero if it does not tell.
func (f finding) kinds() (allowed kinds) {
	switch f.keyword {
	case "type":
		for _, name := range f.want.([]string) {
			allowed |= kindNames[name]
		}
	case "enum":
		for _, v := range f.want.([]any) {
			allowed |= kindOf(v)
		}
	case "const":
		allowed = kindOf(f.want)
	}
	return allowed
}

// An edit is what changes in a value of a document: all of it, or values below it.
type edit struct {
	whole bool
	text  []byte // of the whole; nil: it is removed
	below map[string]*edit
}

// set changes the value at a place, unless it is changed already.
func (e *edit) set(at []string, text []byte) bool {
	for _, token := range at {
		next := e.below[token]
		if next == nil {
			next = &edit{}
			if e.below == nil {
				e.below = map[string]*edit{}
			}
			e.below[token] = next
		}
		e = next
	}
	if e.whole {
		return false
	}
	e.whole, e.text = true, text
	return true
}

// apply returns the value with the changes, nil if it is removed. A nil edit has none.
func (e *edit) apply(value json.Value) json.Value {
	switch {
	case e == nil:
		return value
	case e.whole:
		return e.text
	case value.Kind() == '{':
		return json.Edit(value, func(m json.Member) json.Value { return e.below[m.Name].apply(m.Value) })
	}
	items := json.Elements(value)
	for i := range items {
		items[i] = e.below[strconv.Itoa(i)].apply(items[i])
	}
	return json.Array(items)
}
