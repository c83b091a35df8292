package filter

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// A Cache keeps the filters that it has compiled, which takes longer than to run most
// of them. The zero value is ready; it is safe for concurrent use.
type Cache struct {
	mu       sync.Mutex
	programs map[string]*program // guarded by mu
}

// What a Cache holds at most. Tools have a handful of filters; who makes a new one for
// each call must not fill the memory.
const (
	maxPrograms = 512
	maxCached   = 4 << 10 // bytes of a filter
)

// A program is a compiled filter. It can run many times at once.
type program struct {
	code   *gojq.Code
	path   []string // the names of a filter such as .a.b, nil for any other
	regexp bool     // the filter matches regular expressions
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
	if len(key) > maxCached {
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
	query, err := gojq.Parse(filter)
	if err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query,
		gojq.WithVariables(vars),
		gojq.WithFunction("keys_unsorted", 0, 0, keys),
		gojq.WithFunction("toarray", 0, 0, toArray),
		gojq.WithFunction("debug", 0, 1, func(v any, _ []any) any { return v }),
	)
	if err != nil {
		return nil, err
	}
	return &program{code: code, path: plainPath(filter), regexp: calls(reflect.ValueOf(query), takesRegexp)}, nil
}

// keys stands in for keys_unsorted: the order of the keys is not known here.
func keys(v any, _ []any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s has no keys", gojq.Preview(v))
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	all := make([]any, len(names))
	for i, name := range names {
		all[i] = name
	}
	return all
}

func toArray(v any, _ []any) any {
	if a, ok := v.([]any); ok {
		return a
	}
	return []any{v}
}

// takesRegexp reports whether a function matches a regular expression more than once.
func takesRegexp(f *gojq.Func) bool {
	switch f.Name {
	case "match", "capture", "scan", "splits", "sub", "gsub", "_match":
		return true
	case "split":
		return len(f.Args) == 2
	}
	return false
}

// calls reports whether is holds for a function that a query calls. A query is a tree of
// some twenty kinds of nodes, all plain structs.
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
