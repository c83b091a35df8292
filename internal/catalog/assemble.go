package catalog

import (
	"cmp"
	"fmt"
	"path/filepath"
)

// assemble makes the sources and the lists.
func (p *Project) assemble(o Options) {
	p.tools = &tree{Project: p, dir: below(p.root, o.ToolsDir, "tools"), lists: Tools | Resources, rules: rules{
		kinds: []kind{kindTool}, depth: toolDepth, tooDeep: fmt.Sprintf("put it at most %d folders below tools/", toolDepth),
		sniffs: true, ignores: isDocument, plan: planTools, inline: anyFile, read: (*Project).readTool,
	}}
	resources := &tree{Project: p, dir: below(p.root, o.ResourcesDir, "resources"), lists: Resources | Templates,
		rules: rules{
			kinds: []kind{kindResource, kindTemplate}, depth: filesDepth, tooDeep: "put it into fewer folders",
			ignores: isCopy, plan: planResources, inline: mayHoldMetadata, read: (*Project).readAnyResource,
		}}
	prompts := &tree{Project: p, dir: below(p.root, o.PromptsDir, "prompts"), lists: Prompts, rules: rules{
		kinds: []kind{kindPrompt}, depth: filesDepth, tooDeep: "put it into fewer folders",
		ignores: isCopyOrImage, plan: planPrompts, inline: mayHoldMetadata, read: (*Project).readPrompt,
	}}
	completers := &tree{Project: p, dir: below(p.root, o.CompletionsDir, "completions"), lists: Templates | Prompts,
		rules: rules{
			kinds: []kind{kindCompleter}, sniffs: true, ignores: isDocument, plan: planCompleters, inline: anyFile,
			read: (*Project).readCompleter,
		}}
	p.interfaces = &tree{Project: p, dir: below(p.root, o.UIDir, "ui"), lists: Resources, rules: rules{
		kinds: []kind{kindResource}, depth: 1, ignores: isCopy, plan: planInterfaces, inline: noFile,
		read: (*Project).readInterface,
	}}
	interceptors := &tree{Project: p, dir: below(p.root, o.InterceptorsDir, "interceptors"), rules: rules{
		kinds: []kind{kindInterceptor}, depth: toolDepth, tooDeep: "put it directly into interceptors/, or one folder below",
		sniffs: true, ignores: isDocument, plan: planTools, inline: anyFile, read: (*Project).readInterceptor,
	}}
	p.trees = []*tree{p.tools, resources, prompts, completers, interceptors, p.interfaces}
	p.dirs = [kindCount]string{p.tools.dir, resources.dir, resources.dir, prompts.dir, p.root, interceptors.dir}

	p.maxRegistration = cmp.Or(max(o.MaxRegistration, 0), DefaultRegistrationBytes)
	p.hook = o.Hook
	p.hook.Root, p.hook.ServerDir = p.root, p.serverDir
	json, sh := filepath.Join(p.serverDir, "register.json"), p.hook.Path("register.sh")
	p.sources = []*source{{Project: p, path: json, read: func(*records, ask) *records { return p.readRegisterJSON(json) }}}
	if !p.static {
		p.sources = append(p.sources, &source{Project: p, path: sh, read: func(before *records, a ask) *records {
			return p.runRegisterSH(sh, before, a)
		}})
	}
	p.lists = [kindCount]*list{
		p.newList(kindTool, p.tools),
		p.newList(kindResource, resources),
		p.newList(kindTemplate, resources),
		p.newList(kindPrompt, prompts),
		p.newList(kindCompleter, completers),
		p.newList(kindInterceptor, interceptors),
	}
}

func anyFile(string) bool { return true }
func noFile(string) bool  { return false }

// newList returns a list of what is registered, or else stored, or else found in a folder.
func (p *Project) newList(k kind, found *tree) *list {
	l := &list{Project: p, kind: k, tree: found, sources: p.sources[:len(p.sources):len(p.sources)]}
	if p.registryDir == "" || kinds[k].file == "" {
		return l
	}
	path := filepath.Join(p.registryDir, kinds[k].file)
	if p.static {
		l.sources = append(l.sources, &source{Project: p, path: path, stores: true,
			read: func(*records, ask) *records { return p.readStored(path, k) }})
	} else {
		l.file = path
	}
	return l
}
