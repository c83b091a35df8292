package project

import (
	"maps"
	"path/filepath"
	"slices"
)

// paths writes paths as in registrations.
type paths struct{ root, dir string } // the folders of the project and of the kind

// short returns a path relative to the folder of the kind if it is in it, else to the root.
func (p paths) short(path string) string {
	if short := rel(p.dir, path); filepath.IsLocal(filepath.FromSlash(short)) {
		return short
	}
	return rel(p.root, path)
}

// The methods stored write entries so that reading them as a registration gives the same.

func (t *Tool) stored(w *objectWriter, at paths) {
	w.text("name", t.Name)
	w.text("title", t.Title)
	w.text("description", t.Description)
	if !t.Alone {
		w.text("path", at.short(t.Path))
	}
	w.json("inputSchema", t.InputSchema)
	w.json("outputSchema", t.OutputSchema)
	w.json("annotations", t.Annotations)
	w.json("icons", t.Icons)
	w.json("_meta", t.Meta)
	w.seconds("timeoutSecs", t.Timeout)
	w.seconds("maxTimeoutSecs", t.MaxTimeout)
	w.text("timeoutHint", t.TimeoutHint)
	if t.ProgressExtendsTimeout != nil {
		w.flag("progressExtendsTimeout", *t.ProgressExtendsTimeout)
	}
	if t.MaxOutputBytes > 0 {
		w.count("maxOutputBytes", t.MaxOutputBytes)
	}
	if t.Concurrency > 0 {
		w.count("concurrency", int64(t.Concurrency))
	}
	storeLimits(w, t.Limits)
	w.text("taskSupport", string(t.TaskSupport))
	t.CommandLine.stored(w)
	if len(t.Env) > 0 {
		var env objectWriter
		for _, name := range slices.Sorted(maps.Keys(t.Env)) {
			env.name(name)
			env.b = quote(env.b, t.Env[name])
		}
		w.json("env", env.object())
	}
	if t.Cwd != "" {
		w.text("cwd", rel(at.root, t.Cwd))
	}
	t.Sandbox.stored(w)
}

func (r *Resource) stored(w *objectWriter, at paths) {
	w.text("name", r.Name)
	w.text("title", r.Title)
	w.text("description", r.Description)
	if r.Path != "" {
		w.text("path", at.short(r.Path))
	}
	w.text("uri", r.URI)
	w.text("mimeType", r.MIMEType)
	w.text("provider", r.Provider)
	if r.declaredSize {
		w.count("size", *r.Size)
	}
	w.json("annotations", r.Annotations)
	w.json("icons", r.Icons)
	w.json("_meta", r.Meta)
	if r.UI != nil {
		var ui objectWriter
		ui.text("template", r.UI.Template)
		ui.json("config", r.UI.Config)
		ui.text("tool", r.UI.Tool)
		w.json("ui", ui.object())
	}
}

func (t *Template) stored(w *objectWriter, at paths) {
	w.text("name", t.Name)
	w.text("uriTemplate", t.URITemplate)
	w.text("title", t.Title)
	w.text("description", t.Description)
	if t.Path != "" {
		w.text("path", at.short(t.Path))
	}
	w.text("mimeType", t.MIMEType)
	w.text("provider", t.Provider)
	w.seconds("timeoutSecs", t.Timeout)
	w.json("annotations", t.Annotations)
	w.json("icons", t.Icons)
	storeCompletions(w, t.Completions, at)
	w.json("_meta", t.Meta)
}

func (p *Prompt) stored(w *objectWriter, at paths) {
	w.text("name", p.Name)
	w.text("title", p.Title)
	w.text("description", p.Description)
	if p.Path != "" {
		w.text("path", at.short(p.Path))
	}
	if len(p.Arguments) > 0 {
		all := []byte{}
		for _, a := range p.Arguments {
			var obj objectWriter
			obj.name("name")
			obj.b = quote(obj.b, a.Name)
			obj.text("title", a.Title)
			obj.text("description", a.Description)
			if a.Required {
				obj.flag("required", true)
			}
			if a.Default != nil {
				obj.name("default")
				obj.b = quote(obj.b, *a.Default)
			}
			all = append(append(all, ','), obj.object()...)
		}
		all[0] = '['
		w.json("arguments", append(all, ']'))
	}
	if p.Role != "user" {
		w.text("role", p.Role)
	}
	w.json("messages", p.Messages)
	w.seconds("timeoutSecs", p.Timeout)
	w.json("icons", p.Icons)
	storeCompletions(w, p.Completions, at)
	w.json("_meta", p.Meta)
}

func (c *Completer) stored(w *objectWriter, at paths) {
	w.text("name", c.Name)
	w.text("path", at.short(c.Path))
	w.seconds("timeoutSecs", c.Timeout)
}

func storeCompletions(w *objectWriter, all map[string]Completion, at paths) {
	if len(all) == 0 {
		return
	}
	var each objectWriter
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if c := all[name]; c.Values != nil {
			each.texts(name, c.Values)
		} else if c.Path != "" {
			each.text(name, rel(at.root, c.Path))
		} else {
			each.json(name, []byte("null"))
		}
	}
	w.json("completion", each.object())
}
