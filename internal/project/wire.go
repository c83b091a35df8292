package project

import (
	"fmt"
	"path/filepath"
	"slices"
)

// wire connects each list with its sources.
func (p *Project) wire(o Options) {
	newTree := func(dir, usual string, r rules) *tree {
		return &tree{Project: p, rules: r, dir: below(p.root, dir, usual)}
	}
	tools := newTree(o.ToolsDir, "tools", rules{
		kinds: []kind{kindTool}, depth: toolDepth, tooDeep: fmt.Sprintf("a tool may lie in up to %d folders below tools/", toolDepth),
		sniffs: true, ignores: isDocument, plan: planTools, inline: anyFile, read: (*Project).readTool,
	})
	resources := newTree(o.ResourcesDir, "resources", rules{
		kinds: []kind{kindResource, kindTemplate}, depth: filesDepth, tooDeep: "put it into fewer folders",
		ignores: isCopy, plan: planResources, inline: mayHoldMetadata, read: (*Project).readAnyResource,
	})
	prompts := newTree(o.PromptsDir, "prompts", rules{
		kinds: []kind{kindPrompt}, depth: filesDepth, tooDeep: "put it into fewer folders",
		ignores: isCopyOrImage, plan: planPrompts, inline: mayHoldMetadata, read: (*Project).readPrompt,
	})
	completers := newTree(o.CompletionsDir, "completions", rules{
		kinds: []kind{kindCompleter}, sniffs: true, ignores: isDocument, plan: planCompleters, inline: anyFile, read: (*Project).readCompleter,
	})
	interfaces := newTree(o.UIDir, "ui", rules{
		kinds: []kind{kindResource}, depth: 1, ignores: isCopy, plan: planInterfaces, inline: noFile, read: (*Project).readInterface,
	})
	p.trees = []*tree{tools, resources, prompts, completers, interfaces}

	r := registrar{Project: p, dirs: [kindCount]string{tools.dir, resources.dir, resources.dir, prompts.dir, p.root}}
	limit := o.MaxRegistration
	if limit <= 0 {
		limit = DefaultRegistrationBytes
	}
	first := []source{&registerJSON{registrar: r, path: filepath.Join(p.serverDir, "register.json"), limit: limit}}
	if !p.static {
		host := o.Hook
		host.Root, host.ServerDir = p.root, p.serverDir
		first = append(first, &registerSH{registrar: r, host: host, path: host.Path("register.sh"), limit: limit, logger: p.logger})
	}
	w := wiring{p: p, registrar: r, first: first}
	p.tools = newCatalog[*Tool](w, tools)
	pages := &merged{parts: []source{interfaces, &toolInterfaces{root: p.root, tools: p.tools}}}
	p.resources = newCatalog[*Resource](w, &merged{parts: []source{resources, pages}})
	for i, listed := range p.resources.sources[:len(p.resources.sources)-1] {
		p.resources.sources[i] = &withPages{source: listed, pages: pages, needs: w.pagesNeed(listed)}
	}
	p.templates = newCatalog[*Template](w, &besideResources{tree: resources})
	registrations, others := len(first), p.templates.sources
	for i := range registrations {
		others[i] = &overlay{over: others[i], under: others[registrations:]}
	}
	p.prompts = newCatalog[*Prompt](w, prompts)
	p.completers = newCatalog[*Completer](w, completers)
}

func anyFile(string) bool { return true }
func noFile(string) bool  { return false }

// wiring is what all catalogs share.
type wiring struct {
	p *Project
	registrar
	first []source // of every list
}

// pagesNeed returns the file without which user interfaces are not added to a list: for a stored
// list, the file in which the Bash program kept them; empty for others.
func (w wiring) pagesNeed(listed source) string {
	if _, kept := listed.(*static); kept {
		return filepath.Join(w.p.registryDir, "ui-resources.json")
	}
	return ""
}

// newCatalog returns a list of what is registered, or else stored, or else found.
func newCatalog[T Entry](w wiring, found source) *catalog[T] {
	var none T
	k := none.kind()
	c := &catalog[T]{
		root:    w.p.root,
		folder:  rel(w.p.root, w.dirs[k]),
		since:   w.p.since,
		watched: &w.p.watched,
		sources: slices.Clone(w.first),
		logger:  w.p.logger,

		lifetime: &w.p.lifetime,
	}
	if w.p.registryDir != "" && k.cacheFile() != "" {
		kept := &store{registrar: w.registrar, path: filepath.Join(w.p.registryDir, k.cacheFile()), logger: w.p.logger}
		if w.p.static {
			c.sources = append(c.sources, &static{store: kept})
		} else {
			c.store = kept
		}
	}
	c.sources = append(c.sources, found)
	return c
}
