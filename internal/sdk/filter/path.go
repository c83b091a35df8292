package filter

import (
	"bytes"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// longInput is the length from which plain paths, as nearly all filters of tools are,
// take a shortcut: the value is found without decoding the rest, which saves most of the
// time. The output is the same.
const longInput = 4 << 10

var plain = lazyregexp.New(`^(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// plainPath returns the names in a filter such as .a.b, nil for any other filter.
func plainPath(filter string) []string {
	if !plain.Get().MatchString(filter) {
		return nil
	}
	return strings.Split(filter[1:], ".")
}

// shortcut evaluates a plain path in a long input. It returns false if the filter must
// run: for other filters, short inputs, and whatever ends in an error.
func (p *Program) shortcut(input []byte) ([]Output, bool) {
	if p.path == nil || len(input) < longInput {
		return nil, false
	}
	found, ok := input, true
	for _, name := range p.path {
		if found, ok = member(found, name); !ok {
			return nil, false
		}
	}
	v, err := json.Exact(found)
	return []Output{{v}}, err == nil
}

// member returns the value of a member of an object: the last of that name, null if
// there is none or object is null.
func member(object []byte, name string) ([]byte, bool) {
	value := []byte("null")
	if bytes.Equal(bytes.TrimSpace(object), value) {
		return value, true
	}
	for m, err := range json.Members(object, '{', json.Lenient) {
		if err != nil {
			return nil, false
		}
		if m.Name == name {
			value = m.Value
		}
	}
	return value, true
}
