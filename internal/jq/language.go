package jq

import (
	"errors"
	"strings"

	"github.com/itchyny/gojq"
)

// additions are the functions of jq that the library does not have, or has with other
// results, or that take it quadratic time. A definition is compiled if the filter mentions
// its name.
var additions = []struct{ name, definition string }{
	{"keys_unsorted", `def keys_unsorted: keys;`},
	{"leaf_paths", `def leaf_paths: paths(scalars);`},
	{"recurse_down", `def recurse_down: recurse;`},
	{"toarray", `def toarray: if type == "array" then . else [.] end;`},
	{"ascii", `def ascii: [.] | implode;`},
	{"gamma", `def gamma: lgamma;`},
	{"have_literal_numbers", `def have_literal_numbers: true;`},
	{"have_decnum", `def have_decnum: false;`},
	{"date", `def date: todate; def dateadd(unit; n): . + n; def datesub(unit; n): . - n;`},
	{"ltrimstr", `def _ltrimstr($s): ltrimstr($s);
		def ltrimstr($s): if type == "string" and ($s | type) == "string" then _ltrimstr($s) else . end;`},
	{"rtrimstr", `def _rtrimstr($s): rtrimstr($s);
		def rtrimstr($s): if type == "string" and ($s | type) == "string" then _rtrimstr($s) else . end;`},
	{"INDEX", `def INDEX(stream; f): [stream | {key: (f | tostring), value: .}] | from_entries;
		def INDEX(f): INDEX(.[]; f);`},
}

// Compile compiles a filter in the one language that this program has: that of the library
// gojq, and the additions. The options say what else the filter may reach. Modules are out
// of its reach.
func Compile(filter *gojq.Query, options ...gojq.CompilerOption) (*gojq.Code, error) {
	return compile(filter, noFiles{}, options)
}

func compile(filter *gojq.Query, files files, options []gojq.CompilerOption) (*gojq.Code, error) {
	return gojq.Compile(filter, append(options, gojq.WithModuleLoader(&library{files, filter}))...)
}

// files are where modules are found: what the library's own loader does.
type files interface {
	LoadInitModules() ([]*gojq.Query, error)
	LoadModuleWithMeta(name string, meta map[string]any) (*gojq.Query, error)
	LoadJSONWithMeta(name string, meta map[string]any) (any, error)
}

// A library gives a filter the additions too.
type library struct {
	files
	filter *gojq.Query
}

func (l *library) LoadInitModules() ([]*gojq.Query, error) {
	own, err := l.files.LoadInitModules()
	if err != nil {
		return nil, err
	}
	text := l.filter.String()
	var wanted strings.Builder
	for _, a := range additions {
		if len(own)+len(l.filter.Imports) > 0 || strings.Contains(text, a.name) {
			wanted.WriteString(a.definition)
		}
	}
	first, err := gojq.Parse(wanted.String())
	return append([]*gojq.Query{first}, own...), err
}

// noFiles has no modules.
type noFiles struct{}

var errNoModules = errors.New("modules are not available here")

func (noFiles) LoadInitModules() ([]*gojq.Query, error) { return nil, nil }

func (noFiles) LoadModuleWithMeta(string, map[string]any) (*gojq.Query, error) {
	return nil, errNoModules
}

func (noFiles) LoadJSONWithMeta(string, map[string]any) (any, error) { return nil, errNoModules }
