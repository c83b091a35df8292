package filter

import (
	"reflect"
	"strings"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// A Cache caches compiled filters: compiling a filter takes longer than running most of
// them. The zero value is ready to use. It is safe for concurrent use.
type Cache struct {
	mu       sync.Mutex
	programs map[string]*program // guarded by mu
}

// The limits of a Cache. Most tools have a few filters, but a tool that builds a new
// filter for each call must not fill the memory.
const (
	maxPrograms = 512
	maxCached   = 4 << 10 // bytes of a filter
)

// A program is a compiled filter. It is safe for concurrent use.
type program struct {
	code      *gojq.Code
	path      []string // the names of a filter such as .a.b, nil for any other
	quadratic bool     // a step may take quadratic time in the length of a string
	keep      bool     // the memory that the program takes does not grow with its runs
}

func (c *Cache) compile(filter string, vars []Var) (*program, error) {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = "$" + v.Name
	}
	key := filter + "\x00" + strings.Join(names, "\x00")
	c.mu.Lock()
	p := c.programs[key]
	c.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := compile(filter, names)
	if err != nil {
		return nil, &CompileError{filter, err}
	}
	if !p.keep || len(key) > maxCached {
		return p, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.programs == nil || len(c.programs) >= maxPrograms {
		c.programs = make(map[string]*program)
	}
	c.programs[key] = p
	return p, nil
}

func compile(filter string, vars []string) (*program, error) {
	query, err := jq.Parse(filter)
	if err != nil {
		return nil, err
	}
	same := func(v any, _ []any) any { return v }
	code, err := jq.Compile(query,
		gojq.WithVariables(vars),
		gojq.WithFunction("debug", 0, 0, same),
		gojq.WithFunction("stderr", 0, 0, same),
	)
	if err != nil {
		return nil, err
	}
	return &program{
		code:      code,
		path:      plainPath(filter),
		quadratic: calls(reflect.ValueOf(query), quadratic),
		keep:      !calls(reflect.ValueOf(query), makesPatterns),
	}, nil
}

// flagsAt maps each function that takes a regular expression, with its number of arguments,
// to the index of its flags.
var flagsAt = map[string]int{
	"test": 1, "match": 1, "_match": 1, "capture": 1, "scan": 1, "split": 1, "splits": 1, "sub": 2, "gsub": 2,
}

// quadratic reports whether a function converts a string to a number, or may match a regular
// expression more than once.
func quadratic(f *gojq.Func) bool {
	_, ok := flagsAt[f.Name]
	return f.Name == "tonumber" || ok && f.Name != "test" && (f.Name != "split" || len(f.Args) == 2)
}

// makesPatterns reports whether a function takes a regular expression, or its flags, from
// its input. Compiled code caches every pattern that it has used.
func makesPatterns(f *gojq.Func) bool {
	flags, ok := flagsAt[f.Name]
	if !ok || len(f.Args) == 0 || f.Name == "split" && len(f.Args) == 1 {
		return false
	}
	return !isConstant(f.Args[0]) || len(f.Args) > flags && !isConstant(f.Args[flags])
}

func isConstant(q *gojq.Query) bool {
	t := q.Term
	return t != nil && len(t.SuffixList) == 0 &&
		(t.Type == gojq.TermTypeNull || t.Type == gojq.TermTypeString && len(t.Str.Queries) == 0)
}

// calls reports whether is returns true for a function that a query calls. A query is a
// tree of some twenty kinds of nodes, all plain structs.
func calls(node reflect.Value, is func(*gojq.Func) bool) bool {
	switch node.Kind() {
	case reflect.Pointer:
		if f, ok := node.Interface().(*gojq.Func); ok && f != nil && is(f) {
			return true
		}
		return !node.IsNil() && calls(node.Elem(), is)
	case reflect.Slice:
		for i := range node.Len() {
			if calls(node.Index(i), is) {
				return true
			}
		}
	case reflect.Struct:
		for i := range node.NumField() {
			if calls(node.Field(i), is) {
				return true
			}
		}
	}
	return false
}
