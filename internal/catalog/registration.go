package catalog

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// ErrRegistration is the error of lists while server.d/register.json or register.sh is faulty: they
// define what is to be served, so nothing else is served in its place. The text contains the file
// and the line.
var ErrRegistration = errors.New("registration failed")

// A RegistrationError is an ErrRegistration with all its faults. Its text contains the first fault,
// and the number of others.
type RegistrationError struct {
	Faults []Fault // at least one
	cause  error   // nil if the faults describe everything
}

// failed returns the error for the faults of a registration, at least one of which is not a warning.
func failed(faults ...Fault) *RegistrationError {
	return &RegistrationError{Faults: slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return f.Warning })}
}

func (e *RegistrationError) Error() string {
	if more := len(e.Faults) - 1; more > 0 {
		return fmt.Sprintf("%v: %v (and %d more)", ErrRegistration, e.Faults[0], more)
	}
	return fmt.Sprintf("%v: %v", ErrRegistration, e.Faults[0])
}

func (e *RegistrationError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrRegistration}
	}
	return []error{ErrRegistration, e.cause}
}

// registeredBatches builds the entries of the lists that are not nil.
func (p *Project) registeredBatches(lists [kindCount][]registration) (all [kindCount]*batch) {
	for k, list := range lists {
		if list != nil {
			all[k] = p.registeredBatch(kind(k), list)
		}
	}
	return all
}

// registeredBatch builds the entries of one list. If one of them cannot be served, the list fails.
func (p *Project) registeredBatch(k kind, items []registration) *batch {
	b := &batch{items: make([]*item, len(items))}
	folders := realPaths([]string{p.dirs[k], p.root})
	parallel(len(items), func(i int) { b.items[i] = p.registeredItem(k, items[i], folders) })
	var seen [lookups]map[string]bool
	for by := range seen {
		seen[by] = make(map[string]bool)
	}
	for i, it := range b.items {
		b.faults = append(b.faults, it.faults...)
		it.faults = nil // they belong to the batch now
		if it.entry == nil {
			continue
		}
		for by := range lookups {
			if key := keyOf(it.entry, by); key != "" && seen[by][key] {
				b.faults = append(b.faults, items[i].repeated(k.field(by)))
				it.entry = nil
				break
			} else {
				seen[by][key] = true
			}
		}
	}
	if hasErrors(b.faults) {
		b.err = failed(b.faults...)
	}
	return b
}

// A registration is one entry as it is registered: an object that describes it completely, including
// the path of its file.
type registration struct {
	object object // its reading is discarded: each time there is a new one
	member member
	file   string // that it is registered in, absolute
}

// repeated is the fault of a field whose value another registration has already.
func (r registration) repeated(field string) Fault {
	m, _ := r.object.get(field)
	return r.object.doc.fault(m.at, r.object.prefix+field, string(m.value)+" is a duplicate", "keep one of the two")
}

// registrations returns the registrations in the arrays of an object, nil for a missing array.
func (o object) registrations(file string) (all [kindCount][]registration) {
	known := []string{"$schema", "version", "_meta"}
	for k := range all {
		known = append(known, kinds[k].key)
	}
	for _, m := range o.members {
		if !slices.Contains(known, m.name) {
			o.refuse(m, "is not a known field",
				"use version, tools, resources, resourceTemplates, prompts, completions, interceptors or _meta")
		}
	}
	o.typed("_meta", '{')
	for k := range all {
		m, ok := o.typed(kinds[k].key, '[')
		if !ok {
			continue
		}
		all[k] = []registration{}
		for _, element := range elements(m) {
			if o.is(element, '{') {
				all[k] = append(all[k], registration{o.inner(element), element, file})
			}
		}
	}
	return all
}

// registeredItem builds the entry. All files that it is built from are in its deps. Its file must be in one
// of the folders, whose paths have no links.
func (p *Project) registeredItem(k kind, reg registration, folders []string) *item {
	o := reg.object
	o.reading = &reading{doc: o.doc, tolerant: true}
	m := metadata{object: o, raw: reg.member.value, file: reg.file}
	_, named := o.get("name")
	it := &item{kind: k}
	m.untilStable(func() {
		it.candidate = p.registeredFile(k, o, folders)
		if !named || it.name == "" { // else the default name is used if the given one is invalid
			o.require("name", `write "name": "hello"`)
		}
		it.entry = kinds[k].read(p, it.candidate, m)
	})
	it.deps = o.deps
	if it.faults = o.faults; hasErrors(it.faults) {
		it.entry = nil
	}
	return it
}

// registeredFile describes the file that a registration names.
func (p *Project) registeredFile(k kind, o object, folders []string) candidate {
	c := candidate{registered: true, alone: true, path: filepath.Join(p.dirs[k], "?"), file: &file{}}
	m, ok := o.typed("path", '"')
	if !ok {
		switch k {
		case kindTool:
			if _, command := o.get("argv"); !command {
				o.require("path", `write "path": "hello/tool.sh"`)
			}
		case kindPrompt:
			if _, inline := o.get("messages"); !inline {
				o.require("path", `write "path": "hello.md", or the "messages"`)
			}
		case kindCompleter:
			o.require("path", `write "path": "completions/city.sh"`)
		}
		return c
	}
	path := findFile(filepath.FromSlash(json.Text(m.value)), []string{p.dirs[k], p.root})
	f, err := fileAt(path)
	_, hasURI := o.get("uri")
	switch {
	case err != nil && k == kindResource && hasURI: // a provider serves it
		o.dependsOn(dep{path, f.stamp})
		return c
	case err != nil:
		o.deny(m, "cannot be used: "+cause(err).Error(), "write it relative to "+rel(p.root, p.dirs[k])+"/ or to the project")
		o.dependsOn(dep{path, f.stamp})
		return c
	case !withinReal(path, folders):
		o.deny(m, "is outside of the project", "put the file, or a small script, into the project")
		return c
	}
	c.path, c.file, c.alone, c.name = path, &f, false, defaultName(place{dir: filepath.Dir(path), depth: 1}, f.name)
	if k == kindTool {
		ui := depOf(filepath.Join(filepath.Dir(path), "ui"))
		if c.ui = ui.stamp.Mode.IsDir(); !c.ui {
			o.dependsOn(ui)
		}
	}
	return c
}
