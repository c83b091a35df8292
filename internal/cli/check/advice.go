package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// advise reports entries that the server serves, but that clients or models cannot use well.
func (c *contents) advise(ctx context.Context) {
	c.aboutServer()
	for _, t := range c.tools {
		c.aboutTool(t)
		c.withoutPage(ctx, t)
		c.aboutCommandLine(t)
		c.missingFolders(t)
	}
	for _, r := range c.resources {
		c.unread(r)
		c.denied("resources", r.Name, r.Path)
	}
	for _, t := range c.templates {
		if other := catalog.OtherProvider(t.Provider, t.URITemplate); other != "" && t.Path == "" {
			c.misnamedProvider("resourceTemplates", other, t.URITemplate, &t.Described)
		}
	}
	for _, p := range c.prompts {
		if !p.Executable {
			c.denied("prompts", p.Name, p.Path)
		}
	}
	c.idleCompleters()
	c.idleVariables()
	c.misnamedFolders()
	alike(c, "tools", c.tools,
		func(t *catalog.Tool) (name, metadata, file string) { return t.Name, t.MetadataFile, t.Path })
	alike(c, "resources", c.resources, func(r *catalog.Resource) (name, metadata, file string) {
		return r.Name, r.MetadataFile, r.Path
	})
	alike(c, "prompts", c.prompts, func(p *catalog.Prompt) (name, metadata, file string) {
		return p.Name, p.MetadataFile, p.Path
	})
	c.beyondPage()
}

// described returns the file that describes an entry, as messages name it.
func (c *contents) described(metadata, file string) string {
	return c.project.Rel(cmp.Or(metadata, file))
}

// aboutServer reports missing fields of the server, which people see in their clients.
func (c *contents) aboutServer() {
	m := Message{Level: Warning, Rule: "server-metadata", Section: "server"}
	said := members(c.identity.Metadata)
	switch {
	case c.identity.MetadataFile == "":
		m.Level, m.Hint = Info, `write one: {"name": "my-server", "title": "My Server", "version": "1.0.0"}`
		m.Message = fmt.Sprintf("server.d/server.meta.json is missing: the server is named %q, version %s",
			c.identity.Name, c.identity.Version)
	case c.identity.Metadata == nil: // a file that cannot be read is reported elsewhere
		return
	case said["name"] == nil:
		m.File, m.Line, m.Hint = c.project.Rel(c.identity.MetadataFile), 1, `write "name": "my-server"`
		m.Message = fmt.Sprintf("has no name, so the server is named %q, after its folder", c.identity.Name)
	default:
		var missing []string
		for _, field := range []string{"title", "version", "description"} {
			if said[field] == nil && (field != "version" || c.project.Defaults().Version == "0.0.0") {
				missing = append(missing, field)
			}
		}
		if len(missing) == 0 {
			return
		}
		m.Rule, m.File = "server-optional", c.project.Rel(c.identity.MetadataFile)
		m.Message = "has no " + strings.Join(missing, ", no ") + ", which clients show to people"
	}
	c.report(m)
}

// everyClient matches the names that every known client accepts.
var everyClient = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// bare matches the description that adopt writes where it knows none.
var bare = lazyregexp.New(`^Runs \S+$`)

// aboutDefaults reports default values that the server itself would refuse: every call without the argument fails.
func (c *contents) aboutDefaults(t *catalog.Tool) {
	all := members(json.Value(members(t.InputSchema)["properties"]))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value := members(json.Value(all[name]))["default"]
		if value == nil {
			continue
		}
		compiled, err := schema.Compile(all[name])
		if err != nil {
			continue // it may refer to other parts of the schema
		}
		if faults, err := compiled.Validate(context.Background(), value); err == nil && len(faults) > 0 {
			at := string(json.Pointer("/inputSchema/properties").AppendToken(name).AppendToken("default"))
			c.report(Message{Level: Error, Rule: "default", Section: "tools", File: c.described(t.MetadataFile, t.Path),
				Line:    c.line("tools", t.MetadataFile, t.Metadata, at),
				Message: fmt.Sprintf("%s: the default of %s is not valid: %v", t.Name, name, faults[0].Message),
				Hint:    "write one that its type and enum allow"})
		}
	}
}

// plain reports whether a tool is a script that says nothing about itself.
func plain(t *catalog.Tool) bool {
	return t.MetadataFile == "" && t.Description == "" && len(members(t.Metadata)) == 0
}

func (c *contents) aboutTool(t *catalog.Tool) {
	file := c.described(t.MetadataFile, t.Path)
	report := func(level Level, rule, message, hint string) {
		c.report(Message{Level: level, Rule: rule, Section: "tools", File: file, Message: t.Name + ": " + message,
			Hint: hint})
	}
	written := members(t.Metadata)
	if plain(t) {
		report(Warning, "no-description", "has no metadata, so models know neither its arguments nor when to call it",
			"run mcp-bash adopt "+file+", which reads how it takes its arguments")
	} else if t.Description == "" {
		report(Warning, "no-description", "has no description, so models do not know when to call it",
			`write "description": "what it does, and when to use it"`)
	}
	if bare.Get().MatchString(t.Description) {
		report(Warning, "no-description", fmt.Sprintf("its description is only %q", t.Description),
			"say what it does, and when to use it")
	}
	c.aboutDefaults(t)
	if written["inputSchema"] == nil && written["arguments"] == nil && (t.MetadataFile != "" || len(written) > 0) {
		report(Warning, "no-schema", "has no inputSchema, so models do not know its arguments",
			`write "inputSchema": {"type": "object", "properties": {...}}, with no properties if it takes none`)
	}
	switch {
	case len(t.Name) > 64:
		report(Warning, "long-name", fmt.Sprintf("its name has %d characters; some clients refuse more than 64", len(t.Name)),
			"give it a shorter one")
	case !everyClient.Get().MatchString(t.Name):
		report(Info, "dotted-name", "its name has a dot, which some clients refuse", "use _ or - instead")
	}
	if c.options.Listed != nil && !c.options.Listed(t.Name) {
		report(Info, "not-allowed", "is not listed: the operator's policy does not allow it",
			"name it in MCPBASH_TOOL_ALLOWLIST")
	}
}

// beyondPage reports lists that are longer than a page: some clients read no other than the first.
func (c *contents) beyondPage() {
	page := catalog.PageSize(c.options.Page)
	check := func(section string, items int) {
		if items > page {
			c.report(Message{Level: Warning, Rule: "second-page", Section: section,
				Message: fmt.Sprintf("%d of %d %s are on a second page, which some clients do not ask for",
					items-page, items, section),
				Hint: fmt.Sprintf("set MCPBASH_PAGE_SIZE=%d or more in the server's environment, at most %d",
					items, catalog.MaxPageSize)})
		}
	}
	check("tools", len(c.tools))
	check("resources", len(c.resources))
	check("resourceTemplates", len(c.templates))
	check("prompts", len(c.prompts))
}

// withoutPage reports a tool whose metadata names a user interface that nothing provides.
func (c *contents) withoutPage(ctx context.Context, t *catalog.Tool) {
	var meta struct {
		UI struct {
			URI string `json:"resourceUri"`
		} `json:"ui"`
	}
	if _ = json.Unmarshal(t.Meta, &meta); meta.UI.URI == "" || c.scripted("ui") { // else hosts ignore it
		return
	}
	_, listed := c.project.Resource(ctx, meta.UI.URI)
	_, named := c.project.Interface(ctx, meta.UI.URI)
	_, _, matched := c.project.Match(ctx, meta.UI.URI)
	if listed == nil || named == nil || matched == nil {
		return
	}
	c.report(Message{Level: Warning, Rule: "no-page", Section: "tools",
		File: c.described(t.MetadataFile, t.Path), Line: c.line("tools", t.MetadataFile, t.Metadata, "/_meta/ui/resourceUri"),
		Message: fmt.Sprintf("%s: _meta.ui.resourceUri: no page has the URI %s, so clients show none", t.Name, meta.UI.URI),
		Hint:    "write ui/NAME/index.html, or ui/index.html in the tool's folder, for ui://SERVER/NAME"})
}

// scripted reports whether the project has a provider of its own with a name.
func (c *contents) scripted(name string) bool {
	return c.options.Script != nil && c.options.Script(name)
}

// members returns the members of an object, nil without an object.
func members(object json.Value) (all map[string]json.RawMessage) {
	_ = json.Unmarshal(object, &all) // was parsed before
	return all
}

// unread reports a resource that no provider reads.
func (c *contents) unread(r *catalog.Resource) {
	if other := catalog.OtherProvider(r.Provider, r.URI); other != "" {
		if r.Path == "" || !strings.EqualFold(other, "file") { // else it is read from the file beside its metadata
			c.misnamedProvider("resources", other, r.URI, &r.Described)
		}
		return
	}
	u, err := url.Parse(r.URI)
	m := Message{Section: "resources", File: c.described(r.MetadataFile, r.Path)}
	var why error
	if err == nil && c.options.Readable != nil {
		why = c.options.Readable(r.URI)
	}
	switch {
	case why != nil:
		m.Level, m.Rule, m.Line = Warning, "unreadable", c.line("resources", r.MetadataFile, r.Metadata, "/uri")
		m.Message = fmt.Sprintf("%s: clients cannot read %s: %v", r.Name, r.URI, why)
		m.Hint = "put the file into resources/, or name its folder in MCP_RESOURCES_ROOTS"
	case err != nil || c.options.Provides == nil || r.Path != "" || c.options.Provides(u.Scheme):
		return
	default:
		m.Level, m.Rule = Error, "no-provider"
		m.Message = fmt.Sprintf("%s: no provider reads %s: URIs", r.Name, u.Scheme)
		m.Hint = fmt.Sprintf("write a provider providers/%s.sh, or put the file beside its metadata", u.Scheme)
	}
	c.report(m)
}

// denied reports a file that the user who checks may not read, who is most often the one who serves: the
// entry is listed, but cannot be read.
func (c *contents) denied(section, name, path string) {
	if path == "" {
		return
	}
	f, _, err := files.Open(path)
	if err == nil {
		f.Close()
	}
	if errors.Is(err, fs.ErrPermission) {
		c.report(Message{Level: Error, Rule: "unreadable", Section: section, File: c.project.Rel(path),
			Message: name + ": it cannot be read: permission denied", Hint: "run chmod u+r " + path + ", as its owner"})
	}
}

// misnamedProvider reports a provider in metadata that does not exist, or does not read URIs of this scheme:
// built-in providers read only their own.
func (c *contents) misnamedProvider(section, name, uri string, d *catalog.Described) {
	own := cmp.Or(map[string]string{"git": "git+https"}[strings.ToLower(name)], strings.ToLower(name))
	scheme, _, _ := strings.Cut(uri, ":")
	var message, hint string
	switch {
	case c.options.Provides == nil || c.scripted(name):
		return
	case !c.options.Provides(own):
		message, hint = fmt.Sprintf("unknown provider %q", name), "write providers/"+name+".sh"
	case !strings.EqualFold(scheme, own):
		message, hint = fmt.Sprintf("%s reads only %s: URIs, not %s:", name, own, scheme), "correct it"
	default:
		return
	}
	c.report(Message{Level: Error, Rule: "no-provider", Section: section,
		File: c.project.Rel(d.MetadataFile), Line: c.line(section, d.MetadataFile, d.Metadata, "/provider"),
		Message: "provider: " + message, Hint: hint + ", or remove the field to use the provider of the scheme"})
}

// alike reports names that differ only in case.
func alike[T any](c *contents, section string, entries []T, of func(T) (name, metadata, file string)) {
	first := make(map[string]string, len(entries))
	for _, entry := range entries {
		name, metadata, file := of(entry)
		folded := strings.ToLower(name)
		if other, taken := first[folded]; taken {
			c.report(Message{Level: Warning, Rule: "alike", Section: section, File: c.described(metadata, file),
				Message: fmt.Sprintf("%q and %q differ only in case, which people and models mix up", other, name),
				Hint:    "rename one of the two"})
			continue
		}
		first[folded] = name
	}
}
