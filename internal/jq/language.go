package jq

import (
	"errors"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// additions are definitions of jq's functions that the library lacks, or that return other results in
// it, or take quadratic time.
var additions = sync.OnceValue(func() *gojq.Query {
	all, _ := gojq.Parse(`
def keys_unsorted: keys;
def leaf_paths: paths(scalars);
def recurse_down: recurse;
def toarray: if type == "array" then . else [.] end;
def ascii: [.] | implode;
def gamma: lgamma;
def have_literal_numbers: true;
def have_decnum: false;
def date: todate;
def dateadd(unit; n): . + n;
def datesub(unit; n): . - n;
def _ltrimstr($s): ltrimstr($s);
def ltrimstr($s): if type == "string" and ($s | type) == "string" then _ltrimstr($s) else . end;
def _rtrimstr($s): rtrimstr($s);
def rtrimstr($s): if type == "string" and ($s | type) == "string" then _rtrimstr($s) else . end;
def INDEX(stream; f): [stream | {key: (f | tostring), value: .}] | from_entries;
def INDEX(f): INDEX(.[]; f);
`) // always valid
	return all
})

// Parse parses a filter. A filter without an expression, such as "", is the identity.
func Parse(text string) (*gojq.Query, error) {
	filter, err := gojq.Parse(text)
	if err == nil && filter.Term == nil && filter.Left == nil {
		filter.Term = &gojq.Term{Type: gojq.TermTypeIdentity}
	}
	return filter, err
}

// Compile compiles a filter in the language of this program: gojq's, and the additions. The
// options provide further functions and variables; modules are not available.
func Compile(filter *gojq.Query, options ...gojq.CompilerOption) (*gojq.Code, error) {
	return gojq.Compile(filter, append(options, gojq.WithModuleLoader(extended{noModules{}, filter}))...)
}

// modules is the interface of the result of gojq.NewModuleLoader.
type modules interface {
	LoadInitModules() ([]*gojq.Query, error)
	LoadModuleWithMeta(name string, meta map[string]any) (*gojq.Query, error)
	LoadJSONWithMeta(name string, meta map[string]any) (any, error)
}

// extended adds the additions to modules.
type extended struct {
	modules
	filter *gojq.Query
}

func (e extended) LoadInitModules() ([]*gojq.Query, error) {
	own, err := e.modules.LoadInitModules()
	if err != nil {
		return nil, err
	}
	text, called := e.filter.String(), &gojq.Query{}
	for _, def := range additions().FuncDefs {
		if len(own)+len(e.filter.Imports) > 0 || strings.Contains(text, strings.TrimPrefix(def.Name, "_")) {
			called.FuncDefs = append(called.FuncDefs, def)
		}
	}
	return append([]*gojq.Query{called}, own...), nil
}

type noModules struct{}

var errNoModules = errors.New("modules are not available here")

func (noModules) LoadInitModules() ([]*gojq.Query, error)              { return nil, nil }
func (noModules) LoadJSONWithMeta(string, map[string]any) (any, error) { return nil, errNoModules }
func (noModules) LoadModuleWithMeta(string, map[string]any) (*gojq.Query, error) {
	return nil, errNoModules
}
