package catalog

import (
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Completion is the source of the values of an argument: Values if it is not nil, else the script
// at Path if it is not empty, else there are none.
type Completion struct {
	Values  []string
	Path    string         // absolute
	Timeout *time.Duration // timeoutSecs, 0 for none; nil for the default
}

// A Completer is a script that completes the arguments of the prompt or the template with its name:
// a script in completions/, or a registered one. It is shared by all callers, who must not change
// it.
type Completer struct {
	Described
	Completion
}

// completerFields are the fields of a script that completes arguments.
var completerFields = fields[Completer]{
	named(nameSchema, (*Completer).described, entryNamed),
	filePath("string; the script", func(c *Completer) string { return c.Path }),
	seconds(row{name: "timeoutSecs", is: "seconds until the script is ended; 0: no limit", strict: true,
		absent: "the server's"},
		func(c *Completer) **time.Duration { return &c.Timeout }),
}

func (p *Project) readCompleter(c candidate, m metadata) Entry {
	made := &Completer{Described: m.described(), Completion: Completion{Path: c.path}}
	completerFields.read(p, c, m, made)
	return made
}

// planCompleters plans a completer for every script in completions/.
func planCompleters(_ place, in contents) plan {
	p := plan{}
	for _, c := range pair(in) {
		if c.alone {
			p.orphans = append(p.orphans, c.sidecars...)
		} else {
			c.helper = !c.file.script
			p.candidates = append(p.candidates, c)
		}
	}
	return p
}

// completions reads the field completion of a prompt or a template: how its arguments are
// completed. It is a script for all of them, or an object with values or a script for each. A
// script beside the entry completes those without their own.
func (o object) completions(root string, c candidate, folders []string) map[string]Completion {
	all := make(map[string]Completion)
	if c.completer != nil {
		all[""] = Completion{Path: filepath.Join(folders[0], c.completer.name)}
	}
	add := func(in object, m member, argument string) {
		if completion, ok := in.completion(m, root, folders); ok {
			all[argument] = completion
		}
	}
	if m, ok := o.get("completion"); ok && m.value.Kind() == '{' {
		each := o.inner(m)
		for _, child := range each.members {
			add(each, child, child.name)
		}
	} else if ok && o.is(m, '"') {
		add(o, m, "")
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// completion reads the completion of one argument: an array of values, or the name of a script,
// relative to the first of the folders that has it.
func (o object) completion(m member, root string, folders []string) (c Completion, ok bool) {
	switch {
	case m.value.Kind() == '[':
		return Completion{Values: o.strings(m)}, true
	case m.value.Kind() == 'n':
		return Completion{}, true
	case !o.is(m, '"'):
		return Completion{}, false
	}
	c.Path, ok = o.script(m, root, folders)
	return c, ok
}

// script finds the file that a member names. It must be in one of the folders, or in the project.
func (o object) script(m member, root string, folders []string) (path string, ok bool) {
	path = findFile(filepath.FromSlash(json.Text(m.value)), folders)
	f, err := fileAt(path)
	o.dependsOn(dep{path, f.stamp})
	switch {
	case err != nil:
		o.refuse(m, "cannot be used: "+cause(err).Error(), "write it relative to the project, as in completions/city.sh")
		return "", false
	case !withinAny(path, append([]string{root}, folders...)):
		o.refuse(m, "is outside of the project", "put it, or a small script that starts it, into the project")
		return "", false
	}
	return path, true
}

func (*Completer) kind() kind { return kindCompleter }

func (*Completer) address() string { return "" }

func (c *Completer) write(w *objectWriter, at paths, only bool) {
	completerFields.write(w, c, c.Metadata, at, only)
}

// completionField is the field completion of a prompt or a template: how its arguments are completed.
func completionField[E any](is string, in func(*E) *map[string]Completion) field[E] {
	return field[E]{row{name: "completion", is: is, absent: "none", schema: `"type":["string","object"],` +
		`"additionalProperties":{"type":["string","array","null"]}`},
		func(r *record, e *E) { *in(e) = r.completions(r.p.root, r.c, r.folders) },
		func(w *objectWriter, e *E, at paths) { storeCompletions(w, *in(e), at) }}
}

func storeCompletions(w *objectWriter, all map[string]Completion, at paths) {
	if len(all) == 0 {
		return
	}
	var each objectWriter
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if c := all[name]; c.Values != nil {
			each.add(name, c.Values)
		} else if c.Path != "" {
			each.text(name, rel(at.root, c.Path))
		} else {
			each.json(name, []byte("null"))
		}
	}
	w.json("completion", each.object())
}
