package filter

import (
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/itchyny/gojq"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// A Cache caches compiled filters: compiling a filter takes longer than running most of
// them. The zero value is ready to use. It is safe for concurrent use.
type Cache struct {
	mu       sync.Mutex
	programs map[string]*Program // guarded by mu
}

// The limits of a Cache. Most tools have a few filters, but a tool that builds a new
// filter for each call must not fill the memory.
const (
	maxPrograms = 512
	maxCached   = 4 << 10 // bytes of a filter
)

// A Program is a compiled filter. It is safe for concurrent use.
type Program struct {
	filter    string
	vars      []string // names of variables, with the dollar
	code      *gojq.Code
	path      []string // the names of a filter such as .a.b, nil for any other
	quadratic bool     // a step may take quadratic time in the length of a string
	lasts     bool     // a step may take quadratic time
	keep      bool     // the memory that the program takes does not grow with its runs

	young atomic.Pointer[Program] // the same, compiled not long ago, where it is not kept
	seen  atomic.Int64            // bytes of inputs, by young
}

// maxSeen is from how many bytes of inputs the patterns in the memory of a program may be that is not kept.
const maxSeen = 1 << 20

// fresh returns the program to run on an input of size bytes.
func (p *Program) fresh(size int) (*Program, error) {
	if p.keep {
		return p, nil
	}
	if young := p.young.Load(); young != nil && young.seen.Add(int64(size)+maxSeen/1024) < maxSeen {
		return young, nil
	}
	young, err := compile(p.filter, p.vars)
	p.young.Store(young)
	return young, err
}

// Compile compiles a filter with variables, which are named without the dollar. The error is a [*CompileError].
func Compile(filter string, vars ...string) (*Program, error) {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = "$" + v
	}
	return compile(filter, names)
}

func (c *Cache) compile(filter string, vars []Var) (*Program, error) {
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
	if err != nil || !p.keep || len(key) > maxCached {
		return p, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.programs == nil || len(c.programs) >= maxPrograms {
		c.programs = make(map[string]*Program)
	}
	c.programs[key] = p
	return p, nil
}

func compile(filter string, vars []string) (*Program, error) {
	query, err := jq.Parse(filter)
	if err != nil {
		return nil, &CompileError{filter, err}
	}
	same := func(v any, _ []any) any { return v }
	code, err := jq.Compile(query,
		gojq.WithVariables(vars),
		gojq.WithFunction("debug", 0, 0, same),
		gojq.WithFunction("stderr", 0, 0, same),
	)
	if err != nil {
		return nil, &CompileError{filter, err}
	}
	return &Program{
		filter:    filter,
		vars:      vars,
		code:      code,
		path:      plainPath(filter),
		quadratic: has(reflect.ValueOf(query), quadratic),
		lasts:     has(reflect.ValueOf(query), lasts),
		keep:      !has(reflect.ValueOf(query), makesPatterns),
	}, nil
}

// flagsAt maps each function that takes a regular expression, with its number of arguments,
// to the index of its flags.
var flagsAt = map[string]int{
	"test": 1, "match": 1, "_match": 1, "capture": 1, "scan": 1, "split": 1, "splits": 1, "sub": 2, "gsub": 2,
}

// quadratic reports whether a node is a function that converts a string to a number, or may match a
// regular expression more than once.
func quadratic(node any) bool {
	f, ok := node.(*gojq.Func)
	if !ok {
		return false
	}
	_, ok = flagsAt[f.Name]
	return f.Name == "tonumber" || ok && f.Name != "test" && (f.Name != "split" || len(f.Args) == 2)
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

// makesPatterns reports whether a node is a function that takes a regular expression, or its flags, from
// its input. Compiled code caches every pattern that it has used.
func makesPatterns(node any) bool {
	f, ok := node.(*gojq.Func)
	if !ok {
		return false
	}
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
