package jq

import (
	"path/filepath"
	"strings"

	"github.com/itchyny/gojq"
)

// modules finds what filters import and include, in the folders of -L or in ~/.jq. It
// implements the optional methods of gojq.ModuleLoader.
type modules struct {
	files  moduleFiles
	filter *gojq.Query
}

// moduleFiles is what the loader of the library does.
type moduleFiles interface {
	LoadInitModules() ([]*gojq.Query, error)
	LoadModuleWithMeta(name string, meta map[string]any) (*gojq.Query, error)
	LoadJSONWithMeta(name string, meta map[string]any) (any, error)
}

func (c *command) modules(filter *gojq.Query) *modules {
	paths := c.options.libraries
	if home := c.env("HOME"); len(paths) == 0 && home != "" {
		paths = []string{filepath.Join(home, ".jq")}
	}
	return &modules{gojq.NewModuleLoader(paths).(moduleFiles), filter}
}

func (c *command) env(name string) string {
	for _, variable := range c.environ {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// LoadInitModules returns the definitions that a filter may use without an import: those
// of the prelude, and of ~/.jq if that is a file.
func (m *modules) LoadInitModules() ([]*gojq.Query, error) {
	own, err := m.files.LoadInitModules()
	if err != nil {
		return nil, err
	}
	for _, q := range own {
		rewrite(q, "")
	}
	first, err := preludeFor(m.filter, own)
	return append([]*gojq.Query{first}, own...), err
}

// LoadModuleWithMeta returns the definitions of a file.
func (m *modules) LoadModuleWithMeta(name string, meta map[string]any) (*gojq.Query, error) {
	q, err := m.files.LoadModuleWithMeta(name, meta)
	if err == nil {
		rewrite(q, "")
	}
	return q, err
}

// LoadJSONWithMeta returns the values of a file. The order of their keys is not known.
func (m *modules) LoadJSONWithMeta(name string, meta map[string]any) (any, error) {
	return m.files.LoadJSONWithMeta(name, meta)
}
