package filter

import (
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/itchyny/gojq"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// A Program is a compiled filter. It is safe for concurrent use.
type Program struct {
	filter    string
	vars      []string // names of variables, without the dollar
	code      *gojq.Code
	path      []string // the names of a filter such as .a.b, nil for any other
	quadratic bool     // a step may take quadratic time in the length of a string

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
		quadratic: quadratic(reflect.ValueOf(query)),
	}
	p.young.Store(p)
	return p, nil
}

// patterns are the functions that match a regular expression, perhaps more than once.
var patterns = []string{"match", "_match", "capture", "scan", "splits", "sub", "gsub"}

// quadratic reports whether a query, a tree of some twenty kinds of nodes which are plain structs, calls a function
// that converts a string to a number, or may match a regular expression more than once.
func quadratic(node reflect.Value) bool {
	switch node.Kind() {
	case reflect.Pointer:
		f, ok := node.Interface().(*gojq.Func)
		if ok && f != nil && (f.Name == "tonumber" || f.Name == "split" && len(f.Args) == 2 ||
			slices.Contains(patterns, f.Name)) {
			return true
		}
		return !node.IsNil() && quadratic(node.Elem())
	case reflect.Slice:
		for i := range node.Len() {
			if quadratic(node.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range node.NumField() {
			if quadratic(node.Field(i)) {
				return true
			}
		}
	}
	return false
}
