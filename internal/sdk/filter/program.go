package filter

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/itchyny/gojq"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A Program is a compiled filter. It is safe for concurrent use.
type Program struct {
	filter    string
	vars      []string // names of variables, without the dollar
	code      *gojq.Code
	path      []string // the names of a filter such as .a.b, nil for any other
	quadratic bool     // a step may take quadratic time in the length of a string
	lasts     bool     // a step may take quadratic time

	young atomic.Pointer[Program] // the same, compiled not long ago
	seen  atomic.Int64            // bytes of inputs, by young
}

// maxSeen is after how many bytes of inputs a program is compiled anew: compiled code keeps every pattern that it has
// used, and a filter may take them from its inputs.
const maxSeen = 1 << 20

// fresh returns the program to run on an input of size bytes.
func (p *Program) fresh(size int) (*Program, error) {
	if young := p.young.Load(); young.seen.Add(int64(size)+maxSeen/1024) < maxSeen {
		return young, nil
	}
	young, err := Compile(p.filter, p.vars...)
	if err == nil {
		p.young.Store(young)
	}
	return young, err
}

// Compile compiles a filter with variables, which are named without the dollar. The error is a [*CompileError].
func Compile(filter string, vars ...string) (*Program, error) {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = "$" + v
	}
	query, err := jq.Parse(filter)
	if err != nil {
		return nil, &CompileError{filter, err}
	}
	same := func(v any, _ []any) any { return v }
	code, err := jq.Compile(query,
		gojq.WithVariables(names),
		gojq.WithFunction("debug", 0, 0, same),
		gojq.WithFunction("stderr", 0, 0, same),
	)
	if err != nil {
		return nil, &CompileError{filter, err}
	}
	p := &Program{
		filter:    filter,
		vars:      vars,
		code:      code,
		path:      plainPath(filter),
		quadratic: has(reflect.ValueOf(query), quadratic),
		lasts:     has(reflect.ValueOf(query), lasts),
	}
	p.young.Store(p)
	return p, nil
}

// patterns are the functions that match a regular expression, perhaps more than once.
var patterns = []string{"match", "_match", "capture", "scan", "splits", "sub", "gsub"}

// quadratic reports whether a node is a function that converts a string to a number, or may match a
// regular expression more than once.
func quadratic(node any) bool {
	f, ok := node.(*gojq.Func)
	if !ok {
		return false
	}
	return f.Name == "tonumber" || f.Name == "split" && len(f.Args) == 2 || slices.Contains(patterns, f.Name)
}

// lasts reports whether a node is a step that may take quadratic time; the comment of the package lists
// them. With a constant they do not.
func lasts(node any) bool {
	switch n := node.(type) {
	case *gojq.Query:
		return (n.Op == gojq.OpSub || n.Op == gojq.OpUpdateSub) &&
			(n.Right.Term == nil || n.Right.Term.Type != gojq.TermTypeNumber)
	case *gojq.Func:
		switch n.Name {
		case "contains", "index", "indices", "rindex":
			return len(n.Args) != 1 || !isConstant(n.Args[0])
		case "inside", "fromjson", "transpose":
			return true
		}
	}
	return quadratic(node)
}

func isConstant(q *gojq.Query) bool {
	t := q.Term
	return t != nil && len(t.SuffixList) == 0 &&
		(t.Type == gojq.TermTypeNull || t.Type == gojq.TermTypeString && len(t.Str.Queries) == 0)
}

// has reports whether is returns true for a node of a query: a tree of some twenty kinds of nodes, all
// plain structs.
func has(node reflect.Value, is func(any) bool) bool {
	switch node.Kind() {
	case reflect.Pointer:
		return !node.IsNil() && (is(node.Interface()) || has(node.Elem(), is))
	case reflect.Slice:
		for i := range node.Len() {
			if has(node.Index(i), is) {
				return true
			}
		}
	case reflect.Struct:
		for i := range node.NumField() {
			if has(node.Field(i), is) {
				return true
			}
		}
	}
	return false
}

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
