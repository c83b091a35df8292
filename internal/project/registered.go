package project

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
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

// A registrar builds entries from registrations: JSON objects that completely describe an entry,
// including the path of its file.
type registrar struct {
	loader
	clock *atomic.Uint64    // of the project
	dirs  [kindCount]string // the folders that paths of each kind are relative to, or else to the root
}

// registered is the contents of a registration.
type registered struct {
	from    dep               // the file
	batches [kindCount]*batch // nil for a list that it does not contain
}

// current reports whether the file, and all files that the entries were built from, are unchanged.
func (r *registered) current() bool {
	if !r.from.current() {
		return false
	}
	for _, b := range r.batches {
		if b != nil && slices.ContainsFunc(b.items, func(h foundItem) bool { return !h.current() }) {
			return false
		}
	}
	return true
}

// batches builds the entries of the lists that are not nil.
func (r registrar) batches(lists [kindCount][]registration) (all [kindCount]*batch) {
	for k, list := range lists {
		if list != nil {
			all[k] = r.batch(kind(k), list)
		}
	}
	return all
}

func failedBatches(err error) (all [kindCount]*batch) {
	for k := range all {
		all[k] = &batch{err: err}
	}
	return all
}

// batch builds the entries of one list. Those that cannot be served are left out.
func (r registrar) batch(k kind, items []registration) *batch {
	b := &batch{items: make([]foundItem, len(items))}
	folders := realPaths([]string{r.dirs[k], r.root})
	parallel(len(items), func(i int) { b.items[i] = r.item(k, items[i], folders) })
	var seen [lookups]map[string]bool
	for by := range seen {
		seen[by] = make(map[string]bool)
	}
	for i, h := range b.items {
		b.faults = append(b.faults, h.faults...)
		h.faults = nil // they belong to the batch now
		if h.entry == nil {
			continue
		}
		for by := range lookups {
			if key := h.entry.key(by); key != "" && seen[by][key] {
				b.faults = append(b.faults, items[i].repeated(k.field(by)))
				h.entry = nil
				break
			} else {
				seen[by][key] = true
			}
		}
	}
	return b
}

// A registration is one entry as it is registered.
type registration struct {
	object object // its faults are discarded: each reading has its own
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
	known := []string{"version", "_meta"}
	for k := range all {
		known = append(known, kind(k).key())
	}
	for _, m := range o.members {
		if !slices.Contains(known, m.name) {
			o.refuse(m, "is not a known field", "use version, tools, resources, resourceTemplates, prompts, completions or _meta")
		}
	}
	o.typed("_meta", '{')
	for k := range all {
		m, ok := o.typed(kind(k).key(), '[')
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

// item builds the entry. All files that it is built from are in its deps. Its file must be in one
// of the folders, whose paths have no links.
func (r registrar) item(k kind, reg registration, folders []string) foundItem {
	o := reg.object
	o.faults, o.lost = new([]Fault), &losses{at: make(map[int]bool)}
	m := metadata{object: o, raw: reg.member.value, file: reg.file, faults: o.faults}
	_, named := o.get("name")
	it := &item{loaded: true, kind: k}
	m.readUntilStable(func() {
		var deps, more []dep
		it.candidate, deps = r.candidate(k, o, folders)
		it.deps = append(it.deps, deps...)
		if !named || it.name == "" { // else the default name is used if the given one is invalid
			o.require("name", `write "name": "hello"`)
		}
		it.entry, more = r.read(k, it.candidate, m)
		it.deps = append(it.deps, more...)
	})
	if it.faults = *o.faults; hasErrors(it.faults) {
		it.entry = nil
	}
	return foundItem{item: it}
}

func (r registrar) read(k kind, c candidate, m metadata) (Entry, []dep) {
	switch k {
	case kindTool:
		return r.readTool(c, m)
	case kindResource:
		return r.readRegisteredResource(c, m)
	case kindTemplate:
		m.object.require("uriTemplate", `write "uriTemplate": "notes://{day}"`)
		return r.readTemplate(c, m)
	case kindPrompt:
		return r.readPrompt(c, m)
	}
	return r.readCompleter(c, m)
}

// candidate describes the file that a registration names.
func (r registrar) candidate(k kind, o object, folders []string) (candidate, []dep) {
	c := candidate{alone: true, path: filepath.Join(r.dirs[k], "?")}
	m, ok := o.typed("path", '"')
	if !ok {
		switch k {
		case kindTool:
			if _, command := o.get("argv"); !command {
				o.require("path", `write "path": "hello/tool.sh"`)
			}
		case kindCompleter:
			o.require("path", `write "path": "completions/city.sh"`)
		}
		return c, nil
	}
	path := findFile(filepath.FromSlash(unquote(m.value)), []string{r.dirs[k], r.root})
	f, err := look(path)
	_, hasURI := o.get("uri")
	switch {
	case err != nil && k == kindResource && hasURI: // a provider serves it
		return c, []dep{{path, f.stamp}}
	case err != nil:
		o.refuse(m, "cannot be used: "+cause(err).Error(), "write it relative to "+rel(r.root, r.dirs[k])+"/ or to the project")
		return c, []dep{{path, f.stamp}}
	case !withinReal(path, folders):
		o.refuse(m, "is outside of the project", "put the file, or a small script, into the project")
		return c, nil
	}
	c.path, c.file, c.alone, c.name = path, f, false, defaultName(place{name: filepath.Base(filepath.Dir(path)), depth: 1}, f.name)
	if k == kindTool {
		ui := depOf(filepath.Join(filepath.Dir(path), "ui"))
		if c.ui = ui.stamp.mode.IsDir(); !c.ui {
			return c, []dep{ui}
		}
	}
	return c, nil
}

// readRegisteredResource also reads user interfaces, which caches contain as resources.
func (r registrar) readRegisteredResource(c candidate, m metadata) (Entry, []dep) {
	made, deps := r.readResource(c, m)
	ui, ok := m.object.typed("ui", '{')
	if !ok {
		return made, deps
	}
	o := m.object.inner(ui)
	iface := &Interface{Template: o.text("template"), Config: o.json("config", '{'), Tool: o.text("tool")}
	if config, ok := o.get("config"); ok && iface.Config != nil && c.alone {
		o.checkConfig(config, iface.Template)
	}
	made.(*Resource).UI = iface
	return made, deps
}

// registrationError returns the error for the faults of a registration, at least one of which is
// not a warning.
func registrationError(faults []Fault) error {
	e := &RegistrationError{}
	for _, f := range faults {
		if !f.Warning {
			e.Faults = append(e.Faults, f)
		}
	}
	return e
}

// unusable returns the error of a registration that cannot be read at all.
func unusable(name string, cause error) error {
	return &RegistrationError{Faults: []Fault{{File: name, Reason: cause.Error()}}, cause: cause}
}
