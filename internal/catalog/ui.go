package catalog

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// An Interface is a user interface, and the template of its page if its resource has no Path.
type Interface struct {
	Template string     // form, data-table, progress, diff-viewer, tree-view or kanban; empty for none
	Config   json.Value // the object config of the template; nil when absent
	Tool     string     // the name of the tool in whose folder it is; empty if it is in ui/
	Scopes   []string   // that who reads the page needs, those of this tool among them
}

// interfaceFields are the fields of ui.meta.json.
var interfaceFields = sync.OnceValue(func() fields[Resource] {
	return slices.Concat(
		fields[Resource]{named(nameSchema, (*Resource).described, entryNamed)},
		of(describedFields[:2], (*Resource).described),
		fields[Resource]{
			// read last
			{row: row{name: "entrypoint", is: "a page in the folder", absent: "`index.html`", schema: `"type":"string"`}},
			word(row{name: "template", is: "`form`, `data-table`, `progress`, `diff-viewer`, `tree-view` or `kanban`",
				absent: "none"}, func(ui *Resource) *string { return &ui.UI.Template }, uipage.Templates()...),
			verbatim(row{name: "config", is: "object, for the template", absent: "`{}`"},
				func(ui *Resource) *json.Value { return &ui.UI.Config }),
			{row{name: "meta", is: "object of `csp`, `permissions`, `prefersBorder` (true), `sandboxDomain`",
				schema: `"type":"object","properties":{"csp":{"type":"object","additionalProperties":` +
					`{"type":"array","items":{"type":"string"}}},` +
					`"permissions":{"type":"object","additionalProperties":{"type":"object"}},` +
					`"prefersBorder":{"type":"boolean"},"sandboxDomain":{"type":"string"}}`},
				func(r *record, ui *Resource) { ui.Meta = json.Value(`{"ui":` + string(r.interfaceMeta()) + `}`) }, nil},
			{row{name: "requiredScopes", strict: true, shown: true, absent: "none; a tool's page also has those of the tool",
				is:     "array of scopes: as of a tool, only callers whose tokens have all of them see and read the page",
				schema: scopesSchema}, func(r *record, ui *Resource) { ui.UI.Scopes = r.scopes() }, nil},
		},
	)
})

// planInterfaces plans a user interface for each folder in ui/ with a page or metadata.
func planInterfaces(at place, in contents) plan {
	c := candidate{name: at.name(), fallbackName: "ui/" + at.name(), alone: true}
	for _, sidecar := range in.sidecars {
		if owner, _ := sidecarOf(sidecar); owner == "ui" {
			c.sidecars = append(c.sidecars, sidecar)
		}
	}
	slices.SortStableFunc(c.sidecars, func(a, b string) int { return sidecarRank("ui", a) - sidecarRank("ui", b) })
	page := slices.IndexFunc(in.files, func(f file) bool { return f.name == "index.html" })
	switch {
	case at.depth == 0:
		return plan{}
	case page >= 0:
		c.file, c.alone = &in.files[page], false
	case len(c.sidecars) > 0:
		c.file = &file{name: c.sidecars[0]}
	default:
		return plan{}
	}
	return plan{candidates: []candidate{c}}
}

func (p *Project) readInterface(c candidate, m metadata) Entry {
	return p.userInterface(filepath.Dir(c.path), c.name, m)
}

// interfaceIn reads the folder of the user interface with a name, while its tool is read; it returns nil if
// that has neither a page nor metadata.
func (p *Project) interfaceIn(dir, name string, tool *reading) *Resource {
	page := depOf(filepath.Join(dir, "index.html"))
	tool.dependsOn(page)
	sidecars, missing := sidecarsIn(dir, "ui")
	tool.dependsOn(missing...)
	if len(sidecars) == 0 && page.stamp == (files.Stamp{}) {
		return nil
	}
	m := readMetadata(p.root, sidecars)
	if len(sidecars) == 0 {
		m = readInline(p.root, page.path, nil, false)
	}
	made, _ := m.entry(func() Entry { return p.userInterface(dir, name, m) }).(*Resource)
	for _, f := range m.faults {
		f.Warning = true // the tool works without it
		tool.add(f)
	}
	tool.dependsOn(m.deps...)
	return made
}

// userInterface builds the resource of a user interface from its folder.
func (p *Project) userInterface(dir, name string, m metadata) *Resource {
	server, deps := p.serverName()
	m.dependsOn(deps...)
	r := &Resource{Described: m.described(), URI: interfaceURI(server, name), MIMEType: mcp.UIMIMEType, Provider: "ui",
		UI: &Interface{}}
	interfaceFields().read(p, candidate{name: name}, m, r)
	if page := m.entrypoint(dir, r.UI.Template != ""); page.path != "" {
		r.Path, r.Size = page.path, &page.stamp.Size
	} else if config, ok := m.get("config"); ok && r.UI.Config != nil {
		m.checkConfig(config, r.UI.Template)
	}
	return r
}

// of makes the page one of a tool, for those who may call it.
func (ui *Interface) of(t *Tool) {
	ui.Tool, ui.Scopes = t.Name, slices.Concat(t.RequiredScopes, ui.Scopes)
}

// registeredInterface reads a user interface as lists in .registry/ have it; nil if it is none, or is not
// registered.
func (r *record) registeredInterface() *Interface {
	m, ok := r.get("ui")
	if !ok || !r.c.registered || !r.is(m, '{') {
		return nil
	}
	o := r.inner(m)
	ui := &Interface{Template: o.text("template"), Config: o.json("config"), Tool: o.text("tool"),
		Scopes: o.scopes()}
	if config, ok := o.get("config"); ok && ui.Config != nil && r.c.alone {
		o.checkConfig(config, ui.Template)
	}
	return ui
}

// stored writes the interface so that reading it gives the same.
func (ui *Interface) stored(w *objectWriter) {
	if ui != nil {
		var each objectWriter
		each.text("template", ui.Template)
		each.add("config", ui.Config)
		each.text("tool", ui.Tool)
		if ui.Scopes != nil {
			each.add("requiredScopes", ui.Scopes)
		}
		w.add("ui", each.object())
	}
}

// checkConfig refuses a config that its template cannot be filled with.
func (o object) checkConfig(config json.Member, template string) {
	found, err := uipage.Check(template, o.shown(config))
	if err != nil {
		return // the template was refused already
	}
	for _, f := range found {
		o.refuse(o.within(config, json.Pointer(f.Pointer)), f.Reason, "")
	}
	o.inner(config).warnMisspelled(uipage.Fields(template)...)
}

// IsInterface reports whether a URI, or a template of URIs, is that of a user interface.
func IsInterface(uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	return strings.EqualFold(scheme, "ui")
}

// Interface finds the user interface that a URI names, as Resource does, but by its name alone, whatever server
// is named with it: metadata and results of tools may have been written when the server was called
// something else. So it also finds those that are in the folders but not in the list.
func (p *Project) Interface(ctx context.Context, uri string) (*Resource, error) {
	if !IsInterface(uri) {
		return nil, fmt.Errorf("%w: %s", ErrUnknownResource, uri)
	}
	listed, err := p.Resources(ctx)
	if err != nil {
		return nil, err
	}
	name := interfaceName(uri)
	for _, r := range listed.Items {
		if IsInterface(r.URI) && interfaceName(r.URI) == name && (r.Path != "" || r.UI != nil) {
			return r, nil
		}
	}
	unknown := fmt.Errorf("%w: %s", ErrUnknownResource, uri)
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) {
		return nil, unknown
	}
	of := filepath.Join(p.tools.dir, name)
	if found := p.interfaceIn(filepath.Join(of, "ui"), name, new(reading)); found != nil {
		tools, err := p.Tools(ctx)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(tools.Items, func(t *Tool) bool { return t.Dir == of })
		if i >= 0 { // the page of a tool that is not served is not served either
			found.UI.of(tools.Items[i])
			return found, nil
		}
	}
	if found := p.interfaceIn(filepath.Join(p.interfaces.dir, name), name, new(reading)); found != nil {
		return found, nil
	}
	return nil, unknown
}

// interfaceName returns NAME of ui://SERVER/NAME or ui://NAME.
func interfaceName(uri string) string {
	rest := strings.TrimPrefix(uri[len("ui:"):], "//")
	if _, after, ok := strings.Cut(rest, "/"); ok {
		rest = after
	}
	name, err := url.PathUnescape(rest)
	if err != nil {
		return rest
	}
	return name
}

// interfaceURI is the address of a user interface: ui://server/name.
func interfaceURI(server, name string) string { return InterfacesOf(server) + url.PathEscape(name) }

// InterfacesOf is what the addresses of a server's user interfaces begin with. Blanks and the like in
// its name become hyphens, because many parsers of URIs refuse %20 there.
func InterfacesOf(server string) string {
	host := strings.Map(func(c rune) rune {
		if c >= 0x80 || strings.ContainsRune(letters+digits+"-._~", c) {
			return c
		}
		return '-'
	}, server)
	return "ui://" + url.PathEscape(host) + "/"
}

// entrypoint reads which page in the folder is the interface; the zero value if there is none, as
// with a template.
func (o object) entrypoint(dir string, hasTemplate bool) dep {
	name := "index.html"
	m, written := o.typed("entrypoint", '"')
	if written {
		name = filepath.FromSlash(json.Text(m.Value))
		if !filepath.IsLocal(name) || strings.ContainsRune(name, 0) {
			o.refuse(m, "must be a file in the same folder", `write it as in "index.html"`)
			return dep{}
		}
	}
	page := depOf(filepath.Join(dir, name))
	o.dependsOn(page)
	switch {
	case page.isFile() && withinAny(page.path, []string{dir}):
		return page
	case written:
		o.refuse(m, fmt.Sprintf("%q cannot be used: it is not a file in the same folder", name), "")
	case !hasTemplate:
		o.add(Fault{File: o.doc.File, Field: "entrypoint", Reason: "index.html is missing",
			Hint: "write one, or name a template"})
	}
	return dep{}
}

// interfaceMeta is the object that hosts read to show the interface (AP-03).
func (o object) interfaceMeta() json.Value {
	meta := o.object("meta")
	var w objectWriter
	w.add("csp", meta.json("csp"))
	permissions := meta.json("permissions")
	if permissions == nil {
		permissions = json.Value("{}")
	}
	w.add("permissions", permissions)
	border := meta.flag("prefersBorder")
	w.add("prefersBorder", border == nil || *border)
	w.text("domain", meta.text("sandboxDomain"))
	meta.warnMisspelled("csp", "permissions", "prefersBorder", "sandboxDomain")
	return w.object()
}

// withInterface names the interface of a tool in its _meta, unless the author did (AP-03).
func withInterface(meta json.Value, ui *Resource) json.Value {
	if meta == nil {
		meta = json.Value("{}")
	}
	if _, named := json.Find(meta, "ui"); named {
		return meta
	}
	added, _ := json.Set(meta, "ui", json.Object("resourceUri", ui.URI, "visibility", []string{"model", "app"}))
	return added
}
