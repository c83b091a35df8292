package jq

import (
	"errors"
	"sync"

	"github.com/itchyny/gojq"
)

// additions are the functions of jq that the library does not have, or has with other
// results, or that take it quadratic time.
var additions = sync.OnceValues(func() (*gojq.Query, error) {
	return gojq.Parse(`
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
`)
})

// Compile compiles a filter in the one language that this program has: that of the library
// gojq, and the additions. The options say what else the filter may reach. Modules are out
// of its reach.
func Compile(filter *gojq.Query, options ...gojq.CompilerOption) (*gojq.Code, error) {
	return compile(filter, noModules{}, options)
}

func compile(filter *gojq.Query, modules modules, options []gojq.CompilerOption) (*gojq.Code, error) {
	return gojq.Compile(filter, append(options, gojq.WithModuleLoader(extended{modules}))...)
}

// modules are what gojq.NewModuleLoader returns.
type modules interface {
	LoadInitModules() ([]*gojq.Query, error)
	LoadModuleWithMeta(name string, meta map[string]any) (*gojq.Query, error)
	LoadJSONWithMeta(name string, meta map[string]any) (any, error)
}

// extended modules come with the additions.
type extended struct{ modules }

func (e extended) LoadInitModules() ([]*gojq.Query, error) {
	own, err := e.modules.LoadInitModules()
	if err != nil {
		return nil, err
	}
	first, err := additions()
	return append([]*gojq.Query{first}, own...), err
}

type noModules struct{}

var errNoModules = errors.New("modules are not available here")

func (noModules) LoadInitModules() ([]*gojq.Query, error) { return nil, nil }

func (noModules) LoadModuleWithMeta(string, map[string]any) (*gojq.Query, error) {
	return nil, errNoModules
}

func (noModules) LoadJSONWithMeta(string, map[string]any) (any, error) { return nil, errNoModules }
