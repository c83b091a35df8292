package adopt

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// merged returns the text of mine with what has changed from base to theirs. What mine has changed stays: kept lists
// where both have, as JSON pointers. All are objects.
func merged(base, mine, theirs json.Value) (text []byte, kept []string, err error) {
	before := mine
	for _, v := range []*json.Value{&base, &mine, &theirs} {
		*v = v.Clone()
		if err := v.Compact(); err != nil {
			return nil, nil, err
		}
	}
	m := merging{}
	after := m.value("", base, mine, theirs)
	if string(after) == string(mine) {
		return before, m.kept, nil // as it is laid out
	}
	return file(after), m.kept, nil
}

// A merging is a merge of three versions. A value that is absent is nil.
type merging struct{ kept []string }

func (m *merging) value(at json.Pointer, base, mine, theirs json.Value) json.Value {
	switch {
	case string(base) == string(mine):
		return theirs
	case string(base) == string(theirs), string(mine) == string(theirs):
		return mine
	case mine.Kind() == '{' && theirs.Kind() == '{':
		return m.object(at, base, mine, theirs)
	case base.Kind() == '[' && mine.Kind() == '[' && theirs.Kind() == '[':
		if list, ok := list(base, mine, theirs); ok {
			return list
		}
	}
	m.kept = append(m.kept, string(at))
	return mine
}

// object merges the members of objects: first those of mine, then new ones.
func (m *merging) object(at json.Pointer, base, mine, theirs json.Value) json.Value {
	var pairs []any
	seen := make(map[string]bool)
	for _, object := range []json.Value{mine, theirs} {
		for one, err := range json.Members(object, '{', json.Lenient) {
			if name := one.Name; err == nil && !seen[name] {
				seen[name] = true
				pairs = append(pairs, name,
					m.value(at.AppendToken(name), member(base, name), member(mine, name), member(theirs, name)))
			}
		}
	}
	return json.Object(pairs...)
}

func member(object json.Value, name string) json.Value {
	found, _ := json.Find(object, name)
	return found.Value
}

// list merges arrays; ok is false if both have changed the same elements.
func list(base, mine, theirs json.Value) (merged json.Value, ok bool) {
	elements := func(array json.Value) string {
		var b strings.Builder
		for one := range json.Members(array, '[', json.Lenient) {
			b.WriteString(string(one.Value) + "\n") // compact, so on one line
		}
		return b.String()
	}
	from := elements(base)
	edits, ok := udiff.Merge(udiff.Lines(from, elements(mine)), udiff.Lines(from, elements(theirs)))
	if !ok {
		return nil, false
	}
	text, err := udiff.Apply(from, edits)
	return json.Value("[" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", ",") + "]"), err == nil
}
