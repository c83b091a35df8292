package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// advice reports entries that the server serves, but that clients or models cannot use well.
func (c *contents) advice(ctx context.Context, o Options) []Message {
	all := c.aboutServer()
	for _, t := range c.tools {
		all = append(all, c.aboutTool(t, o)...)
		all = append(all, c.withoutPage(ctx, t, o)...)
		all = append(all, c.aboutCommandLine(t, o)...)
		all = append(all, c.missingFolders(t)...)
	}
	for _, r := range c.resources {
		all = append(all, c.unread(r, o)...)
		all = append(all, c.denied("resources", r.Name, r.Path)...)
	}
	for _, t := range c.templates {
		if other := project.OtherProvider(t.Provider, t.URITemplate); other != "" && t.Path == "" {
			all = append(all, c.misnamedProvider("resourceTemplates", other, t.URITemplate, t.MetadataFile, o)...)
		}
	}
	for _, p := range c.prompts {
		if !p.Executable {
			all = append(all, c.denied("prompts", p.Name, p.Path)...)
		}
	}
	all = append(all, c.idleCompleters()...)
	all = append(all, c.idleVariables()...)
	all = append(all, c.misnamedFolders(o)...)
	all = append(all, alike(c.tools, "tools", func(t *project.Tool) (string, string) { return t.Name, c.described(t.MetadataFile, t.Path) })...)
	all = append(all, alike(c.resources, "resources", func(r *project.Resource) (string, string) { return r.Name, c.described(r.MetadataFile, r.Path) })...)
	all = append(all, alike(c.prompts, "prompts", func(p *project.Prompt) (string, string) { return p.Name, c.described(p.MetadataFile, p.Path) })...)
	return all
}

// described returns the file that describes an entry, as messages name it.
func (c *contents) described(metadata, file string) string {
	return c.project.Rel(cmp.Or(metadata, file))
}

func (c *contents) aboutServer() []Message {
	if c.identity.MetadataFile == "" {
		return []Message{{Level: Info, Rule: "server-metadata", Section: "server",
			Message: fmt.Sprintf("there is no server.d/server.meta.json: the server is named %q, version %s", c.identity.Name, c.identity.Version),
			Hint:    `write one: {"name": "my-server", "title": "My Server", "version": "1.0.0"}`}}
	}
	said := members(c.identity.Metadata)
	if c.identity.Metadata == nil { // a file that cannot be read is reported elsewhere
		return nil
	}
	if said["name"] != nil {
		return c.aboutOptional(said)
	}
	return []Message{{Level: Warning, Rule: "server-metadata", Section: "server", File: c.project.Rel(c.identity.MetadataFile), Line: 1,
		Message: fmt.Sprintf("has no name, so the server is named %q, after its folder", c.identity.Name), Hint: `write "name": "my-server"`}}
}

// aboutOptional reports missing fields that people see in their clients.
func (c *contents) aboutOptional(said map[string]json.RawMessage) []Message {
	var missing []string
	for _, field := range []string{"title", "version", "description"} {
		if said[field] == nil && (field != "version" || c.project.Defaults().Version == "0.0.0") {
			missing = append(missing, field)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Message{{Level: Warning, Rule: "server-optional", Section: "server", File: c.project.Rel(c.identity.MetadataFile),
		Message: "has no " + strings.Join(missing, ", no ") + ", which clients show to people"}}
}

// everyClient matches the names that every known client accepts.
var everyClient = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

func (c *contents) aboutTool(t *project.Tool, o Options) []Message {
	file := c.described(t.MetadataFile, t.Path)
	var all []Message
	report := func(level Level, rule, message, hint string) {
		all = append(all, Message{Level: level, Rule: rule, Section: "tools", File: file, Message: t.Name + ": " + message, Hint: hint})
	}
	if t.Description == "" {
		report(Warning, "no-description", "has no description, so models do not know when to call it", `write "description": "what it does, and when to use it"`)
	}
	written := members(t.Metadata)
	if written["inputSchema"] == nil && written["arguments"] == nil {
		report(Warning, "no-schema", "has no inputSchema, so models do not know its arguments", `write "inputSchema": {"type": "object", "properties": {...}}, with no properties if it takes none`)
	}
	switch {
	case len(t.Name) > 64:
		report(Warning, "long-name", fmt.Sprintf("its name has %d characters; some clients refuse more than 64", len(t.Name)), "give it a shorter one")
	case !everyClient.Get().MatchString(t.Name):
		report(Info, "dotted-name", "its name has a dot, which some clients refuse", "use _ or - instead")
	}
	if o.Listed != nil && !o.Listed(t.Name) {
		report(Info, "not-allowed", "is not listed: the operator's policy does not allow it", "name it in MCPBASH_TOOL_ALLOWLIST")
	}
	return all
}

// beyondPage reports lists that are longer than a page: some clients read no other than the first.
func (c *contents) beyondPage(o Options) (all []Message) {
	page := project.PageSize(o.Page)
	for _, list := range []struct {
		section string
		items   int
	}{{"tools", len(c.tools)}, {"resources", len(c.resources)}, {"resourceTemplates", len(c.templates)}, {"prompts", len(c.prompts)}} {
		if list.items > page {
			all = append(all, Message{Level: Warning, Rule: "second-page", Section: list.section,
				Message: fmt.Sprintf("%d of %d %s are on a second page, which some clients do not ask for", list.items-page, list.items, list.section),
				Hint:    fmt.Sprintf("set MCPBASH_PAGE_SIZE=%d or more in the server's environment, at most %d", list.items, project.MaxPageSize)})
		}
	}
	return all
}

// withoutPage reports a tool whose metadata names a user interface that nothing provides.
func (c *contents) withoutPage(ctx context.Context, t *project.Tool, o Options) []Message {
	var meta struct {
		UI struct {
			URI string `json:"resourceUri"`
		} `json:"ui"`
	}
	if _ = json.Unmarshal(t.Meta, &meta); meta.UI.URI == "" || o.Script != nil && o.Script("ui") { // else hosts ignore it
		return nil
	}
	_, listed := c.project.Resource(ctx, meta.UI.URI)
	_, named := c.project.Interface(ctx, meta.UI.URI)
	_, _, matched := c.project.Match(ctx, meta.UI.URI)
	if listed == nil || named == nil || matched == nil {
		return nil
	}
	return []Message{{Level: Warning, Rule: "no-page", Section: "tools", File: c.described(t.MetadataFile, t.Path), Line: lineOf(t.MetadataFile, meta.UI.URI),
		Message: fmt.Sprintf("%s: _meta.ui.resourceUri: no page has the URI %s, so clients show none", t.Name, meta.UI.URI),
		Hint:    "write ui/NAME/index.html, or ui/index.html in the tool's folder, for ui://SERVER/NAME"}}
}

// members returns the members of an object, nil without an object.
func members(object json.Value) (all map[string]json.RawMessage) {
	_ = json.Unmarshal(object, &all) // was parsed before
	return all
}

// unread reports a resource that no provider reads.
func (c *contents) unread(r *project.Resource, o Options) []Message {
	if other := project.OtherProvider(r.Provider, r.URI); other != "" {
		if r.Path != "" && strings.EqualFold(other, "file") {
			return nil // it is read from the file beside its metadata
		}
		return c.misnamedProvider("resources", other, r.URI, r.MetadataFile, o)
	}
	u, err := url.Parse(r.URI)
	if err == nil && o.Readable != nil {
		if why := o.Readable(r.URI); why != nil {
			return []Message{{Level: Warning, Rule: "unreadable", Section: "resources", File: c.described(r.MetadataFile, r.Path), Line: lineOf(r.MetadataFile, r.URI),
				Message: fmt.Sprintf("%s: clients cannot read %s: %v", r.Name, r.URI, why),
				Hint:    "put the file into resources/, or name its folder in MCP_RESOURCES_ROOTS"}}
		}
	}
	if err != nil || o.Provides == nil || r.Path != "" || o.Provides(u.Scheme) {
		return nil
	}
	return []Message{{Level: Error, Rule: "no-provider", Section: "resources", File: c.described(r.MetadataFile, r.Path),
		Message: fmt.Sprintf("%s: no provider reads %s: URIs", r.Name, u.Scheme),
		Hint:    fmt.Sprintf("write a provider providers/%s.sh, or put the file beside its metadata", u.Scheme)}}
}

// denied reports a file that the user who checks may not read, who is most often the one who serves: the
// entry is listed, but cannot be read.
func (c *contents) denied(section, name, path string) []Message {
	if path == "" {
		return nil
	}
	f, _, err := files.Open(path)
	if err == nil {
		f.Close()
	}
	if !errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return []Message{{Level: Error, Rule: "unreadable", Section: section, File: c.project.Rel(path),
		Message: name + ": it cannot be read: permission denied", Hint: "run chmod u+r " + path + ", as its owner"}}
}

// misnamedProvider reports a provider in metadata that does not exist, or does not read URIs of this scheme:
// built-in providers read only their own.
func (c *contents) misnamedProvider(section, name, uri, file string, o Options) []Message {
	m := Message{Level: Error, Rule: "no-provider", Section: section, File: c.project.Rel(file), Line: lineOf(file, `"provider"`)}
	own := cmp.Or(map[string]string{"git": "git+https"}[strings.ToLower(name)], strings.ToLower(name))
	scheme, _, _ := strings.Cut(uri, ":")
	switch {
	case o.Provides == nil || o.Script != nil && o.Script(name):
		return nil
	case !o.Provides(own):
		m.Message, m.Hint = fmt.Sprintf("provider: unknown provider %q", name), "write providers/"+name+".sh, or remove the field to use the provider of the scheme"
	case !strings.EqualFold(scheme, own):
		m.Message, m.Hint = fmt.Sprintf("provider: %s reads only %s: URIs, not %s:", name, own, scheme), "correct it, or remove the field to use the provider of the scheme"
	default:
		return nil
	}
	return []Message{m}
}

// lineOf returns the line of a file with the last of the texts, each the first one after the text before; 0 for
// none.
func lineOf(file string, texts ...string) int {
	all, _ := files.Read(file, maxScript) // an unreadable file has no lines
	rest, line := string(all), 1
	for _, text := range texts {
		before, after, found := strings.Cut(rest, text)
		if !found {
			return 0
		}
		rest, line = after, line+strings.Count(before, "\n")
	}
	return line
}

// alike reports names that differ only in case.
func alike[T any](entries []T, section string, of func(T) (name, file string)) []Message {
	var all []Message
	first := make(map[string]string, len(entries))
	for _, entry := range entries {
		name, file := of(entry)
		folded := strings.ToLower(name)
		if other, taken := first[folded]; taken {
			all = append(all, Message{Level: Warning, Rule: "alike", Section: section, File: file,
				Message: fmt.Sprintf("%q and %q differ only in case, which people and models mix up", other, name), Hint: "rename one of the two"})
			continue
		}
		first[folded] = name
	}
	return all
}
