package catalog

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
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
var completerFields = sync.OnceValue(func() fields[Completer] {
	return fields[Completer]{
		named(nameSchema, (*Completer).described, entryNamed),
		filePath("string; the script", func(c *Completer) string { return c.Path }),
		seconds(row{name: "timeoutSecs", is: "seconds until the script is ended; 0: no limit", strict: true,
			absent: "the server's"},
			func(c *Completer) **time.Duration { return &c.Timeout }),
	}
})

func (p *Project) readCompleter(c candidate, m metadata) Entry {
	if c.alone && !c.registered {
		m.add(noScript(p.Rel(m.file)))
		return nil
	}
	made := &Completer{Described: m.described(), Completion: Completion{Path: c.path}}
	completerFields().read(p, c, m, made)
	return made
}

// planCompleters plans a completer for every script in completions/.
func planCompleters(_ place, in contents) plan {
	p := plan{candidates: pair(in)}
	for i, c := range p.candidates {
		p.candidates[i].helper = !c.alone && !c.file.script
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
	add := func(in object, m json.Member, argument string) {
		if completion, ok := in.completion(m, root, folders); ok {
			all[argument] = completion
		}
	}
	if m, ok := o.get("completion"); ok && m.Value.Kind() == '{' {
		each := o.inner(m)
		for _, child := range each.members {
			add(each, child, child.Name)
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
func (o object) completion(m json.Member, root string, folders []string) (c Completion, ok bool) {
	switch {
	case m.Value.Kind() == '[':
		return Completion{Values: o.strings(m)}, true
	case m.Value.Kind() == 'n':
		return Completion{}, true
	case !o.is(m, '"'):
		return Completion{}, false
	}
	c.Path, ok = o.script(m, root, folders)
	return c, ok
}

// script finds the file that a member names. It must be in one of the folders, or in the project.
func (o object) script(m json.Member, root string, folders []string) (path string, ok bool) {
	path = findFile(filepath.FromSlash(json.Text(m.Value)), folders)
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

// completionField is the field completion of a prompt or a template: how its arguments are completed.
func completionField[E any](is string, in func(*E) *map[string]Completion) field[E] {
	return field[E]{row{name: "completion", is: is, absent: "none", schema: `"type":["string","object"],` +
		`"additionalProperties":{"type":["string","array","null"]}`},
		func(r *record, e *E) { *in(e) = r.completions(r.p.root, r.c, r.folders) },
		func(w *objectWriter, e *E, at paths) {
			var each objectWriter
			for _, name := range slices.Sorted(maps.Keys(*in(e))) {
				if c := (*in(e))[name]; c.Values != nil {
					each.add(name, c.Values)
				} else if c.Path != "" {
					each.text(name, rel(at.root, c.Path))
				} else {
					each.add(name, json.Value("null"))
				}
			}
			if len(each) > 0 {
				w.add("completion", each.object())
			}
		}}
}

// PromptCompletion returns where the values of an argument of a prompt come from. In this order:
//
//   - a script that is registered under the name of the prompt,
//   - what the prompt says of the argument: completion, values or enum,
//   - the script beside the prompt, or the one that its metadata names for all arguments,
//   - the script in completions/ with the name of the prompt.
//
// An argument that the prompt does not have has no values (CM-07). The error is ErrUnknownPrompt,
// ErrRegistration, or that ctx ended. A script may be registered for a prompt that does not exist.
func (p *Project) PromptCompletion(ctx context.Context, prompt, argument string) (Completion, error) {
	found, err := p.Prompt(ctx, prompt)
	if errors.Is(err, ErrUnknownPrompt) {
		if completion, registered, more := p.completer(ctx, prompt); more != nil || registered {
			return completion, more
		}
	}
	if err != nil {
		return Completion{}, err
	}
	has := len(found.Arguments) == 0 || slices.ContainsFunc(found.Arguments,
		func(a Argument) bool { return a.Name == argument })
	return p.completionOf(ctx, has, found.Completions, argument, prompt)
}

// TemplateCompletion returns where the values of a variable of the resource template with a URI
// template come from, as PromptCompletion does for prompts. The URI of a resource has no values.
// The error is ErrUnknownTemplate, ErrRegistration, or that ctx ended.
func (p *Project) TemplateCompletion(ctx context.Context, uriTemplate, variable string) (Completion, error) {
	found, err := p.Template(ctx, uriTemplate)
	if errors.Is(err, ErrUnknownTemplate) {
		if _, isResource := p.Resource(ctx, uriTemplate); isResource == nil {
			return Completion{}, nil
		}
	}
	if err != nil {
		return Completion{}, err
	}
	return p.completionOf(ctx, slices.Contains(found.Variables(), variable), found.Completions, variable, found.Name)
}

func (p *Project) completionOf(ctx context.Context, has bool, own map[string]Completion,
	argument, name string) (Completion, error) {
	if !has {
		return Completion{}, nil
	}
	shared, registered, err := p.completer(ctx, name)
	if err != nil || registered {
		return shared, err
	}
	for _, of := range []string{argument, ""} {
		if completion, ok := own[of]; ok {
			return completion, nil
		}
	}
	return shared, nil
}

// completer finds the completer with a name, and whether it was registered.
func (p *Project) completer(ctx context.Context, name string) (c Completion, registered bool, err error) {
	found, err := p.lists[kindCompleter].find(ctx, byName, name)
	if err != nil || found == nil {
		return Completion{}, false, err
	}
	return found.entry.(*Completer).Completion, found.folder == nil, nil
}
