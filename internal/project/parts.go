package project

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A batch is the entries of one kind in a folder, or in a register. It does not change: the same
// batch as before means that nothing has changed.
type batch struct {
	items  []*item // in the order of precedence: of two with the same name the first is kept
	faults []Fault
	err    error // instead of the rest; wraps ErrRegistration
}

// parts are what a list consists of; nil for none. The same parts as before make the same list.
type parts struct {
	main       *batch    // what is registered, or else stored, or else found
	interfaces [2]*batch // resources that are user interfaces: those in ui/, and those of tools
	templates  *batch    // templates that are found, beside those that are registered
	resources  *batch    // found templates with the name of one of these are left out
}

func (p parts) all() []*batch {
	all := []*batch{p.main, p.interfaces[0], p.interfaces[1], p.templates, p.resources}
	return slices.DeleteFunc(all, func(b *batch) bool { return b == nil })
}

// noInterfaces are the user interfaces of tools that have none.
var noInterfaces = &batch{}

// ask returns the parts of the list as the files are now, and what the registers that decided them
// contain of it.
func (l *list) ask(a ask) (now parts, decided []*batch) {
	stored := false
	for len(decided) < len(l.registers) && now.main == nil {
		r := l.registers[len(decided)]
		now.main, stored = r.at(a).batches[l.kind], r.stores
		decided = append(decided, now.main)
	}
	registered := now.main != nil
	switch {
	case registered && now.main.err != nil:
	case l.kind == kindTemplate && !registered:
		now.addFound(l.tree.at(a.since))
	case l.kind == kindTemplate && !stored && len(now.main.items) > 0: // the others are served as well
		if last := l.registers[len(l.registers)-1]; last.stores {
			now.templates = last.at(a).batches[l.kind]
			decided = append(append(decided, make([]*batch, len(l.registers)-len(decided)-1)...), now.templates)
		}
		if now.templates == nil {
			now.addFound(l.tree.at(a.since))
		}
	case !registered:
		now.main = l.tree.at(a.since).batches[l.kind]
	}
	if l.kind == kindResource && (!registered || l.lacksInterfaces(now.main, stored)) {
		now.interfaces = [2]*batch{l.interfaces.at(a.since).batches[l.kind], l.lists[kindTool].at(a).interfaces}
	}
	return now, decided
}

func (p *parts) addFound(s *scanned) {
	p.templates, p.resources = s.batches[kindTemplate], s.batches[kindResource]
}

// lacksInterfaces reports whether the user interfaces of the project are added to resources that
// are registered or stored. They are not if there are some already. For a stored list, there must
// be the file in which the Bash program kept them.
func (l *list) lacksInterfaces(b *batch, stored bool) bool {
	if b.err != nil || slices.ContainsFunc(b.items, func(it *item) bool { return it.entry != nil && IsInterface(keyOf(it.entry, byAddress)) }) {
		return false
	}
	if stored {
		_, err := os.Lstat(filepath.Join(l.registryDir, "ui-resources.json"))
		return err == nil
	}
	return true
}

// join makes one list of its parts. Of two templates with the same name or address, the registered
// one is served.
func (p parts) join(root string) (items []*item, faults []Fault, err error) {
	for _, b := range []*batch{p.main, p.interfaces[0], p.interfaces[1]} {
		if b != nil {
			items, faults, err = append(items, b.items...), append(faults, b.faults...), b.err
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if p.templates == nil {
		return items, faults, nil
	}
	faults = append(faults, p.templates.faults...)
	resources := make(map[string]*item)
	if p.resources != nil {
		for _, it := range p.resources.items {
			if it.entry != nil {
				resources[keyOf(it.entry, byName)] = it
			}
		}
	}
	registered := items
	for _, it := range p.templates.items {
		switch {
		case it.entry == nil: // its faults are reported
			items = append(items, it)
			continue
		case slices.ContainsFunc(registered, it.sharesKey):
			continue
		}
		if first := resources[keyOf(it.entry, byName)]; first != nil {
			faults = append(faults, Fault{File: rel(root, it.path), Field: "name",
				Reason: fmt.Sprintf("%q is the name of the resource %s already, so this template is left out",
					keyOf(it.entry, byName), rel(root, first.path)),
				Hint: "give one of the two another name"})
			continue
		}
		items = append(items, it)
	}
	return items, faults, nil
}

// sharesKey reports whether two items have the same name or the same address.
func (i *item) sharesKey(other *item) bool {
	for by := range lookups {
		if key := keyOf(i.entry, by); key != "" && other.entry != nil && key == keyOf(other.entry, by) {
			return true
		}
	}
	return false
}

// toolInterfaces returns the user interfaces of the tools in the list.
func (s *state) toolInterfaces(root string) *batch {
	var items []*item
	for _, e := range s.entries {
		t := e.(*Tool)
		if t.UI == nil {
			continue
		}
		dir, of := filepath.Join(t.Dir, "ui"), s.by[byName][t.Name]
		c := candidate{path: dir, name: filepath.Base(t.Dir), fallbackName: rel(root, dir), file: &file{}, alone: true}
		items = append(items, &item{candidate: c, folder: of.folder, kind: kindResource, entry: t.UI, deps: of.deps})
	}
	if len(items) == 0 {
		return noInterfaces
	}
	return &batch{items: items}
}
