package schema

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rootURL names the schema to the library. It is no address of anything.
const rootURL = "mem:///schema"

// santhosh validates by santhosh-tekuri/jsonschema: every dialect, every keyword,
// numbers of any size.
type santhosh struct {
	root *jsonschema.Schema
	doc  any // the schema, to quote from
}

// validate takes numbers as json.Number or float64.
func (s santhosh) validate(doc any) (found []finding, err error) {
	defer rescue(santhoshName, &err)
	if err := s.root.Validate(doc); err != nil {
		failure, ok := err.(*jsonschema.ValidationError)
		if !ok {
			return nil, fmt.Errorf("%s: %w", santhoshName, err)
		}
		return s.findings(failure), nil
	}
	return nil, nil
}

// rescue turns a panic of an engine into an error. It is to be deferred.
func rescue(engine string, err *error) {
	switch p := recover().(type) {
	case nil:
	case slowPattern:
		*err = p
	default:
		*err = fmt.Errorf("%s failed: %v", engine, p)
	}
}

// A loader provides the documents that references lead to.
type loader func(url string) (any, error)

// Load implements jsonschema.URLLoader.
func (l loader) Load(url string) (any, error) { return l(url) }

// deny is the loader of everyone but the tests: nothing is ever fetched, not
// by http and not from files.
func deny(string) (any, error) { return nil, errors.New("never fetched") }

// library is the library set up our way for one schema. A compiler is cheap,
// and one for each schema needs no lock and is freed with it.
func library(load loader, patterns jsonschema.RegexpEngine) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(load)
	c.UseRegexpEngine(patterns)
	return c
}
