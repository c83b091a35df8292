package project

import (
	"cmp"
	"fmt"
	"path/filepath"
)

// assemble makes the folders, the registers and the lists.
func (p *Project) assemble(o Options) {
	p.tools = &tree{Project: p, dir: below(p.root, o.ToolsDir, "tools"), lists: Tools | Resources, rules: rules{
		kinds: []kind{kindTool}, depth: toolDepth, tooDeep: fmt.Sprintf("put it at most %d folders below tools/", toolDepth),
		sniffs: true, ignores: isDocument, plan: planTools, inline: anyFile, read: (*Project).readTool,
	}}
	resources := &tree{Project: p, dir: below(p.root, o.ResourcesDir, "resources"), lists: Resources | Templates, rules: rules{
		kinds: []kind{kindResource, kindTemplate}, depth: filesDepth, tooDeep: "put it into fewer folders",
		ignores: isCopy, plan: planResources, inline: mayHoldMetadata, read: (*Project).readAnyResource,
	}}
	prompts := &tree{Project: p, dir: below(p.root, o.PromptsDir, "prompts"), lists: Prompts, rules: rules{
		kinds: []kind{kindPrompt}, depth: filesDepth, tooDeep: "put it into fewer folders",
		ignores: isCopyOrImage, plan: planPrompts, inline: mayHoldMetadata, read: (*Project).readPrompt,
	}}
	completers := &tree{Project: p, dir: below(p.root, o.CompletionsDir, "completions"), lists: Templates | Prompts, rules: rules{
		kinds: []kind{kindCompleter}, sniffs: true, ignores: isDocument, plan: planCompleters, inline: anyFile, read: (*Project).readCompleter,
	}}
	p.interfaces = &tree{Project: p, dir: below(p.root, o.UIDir, "ui"), lists: Resources, rules: rules{
		kinds: []kind{kindResource}, depth: 1, ignores: isCopy, plan: planInterfaces, inline: noFile, read: (*Project).readInterface,
	}}
	p.trees = []*tree{p.tools, resources, prompts, completers, p.interfaces}
	p.dirs = [kindCount]string{p.tools.dir, resources.dir, resources.dir, prompts.dir, p.root}

	p.maxRegistration = cmp.Or(max(o.MaxRegistration, 0), DefaultRegistrationBytes)
	p.hook = o.Hook
	p.hook.Root, p.hook.ServerDir = p.root, p.serverDir
	json, sh := filepath.Join(p.serverDir, "register.json"), p.hook.Path("register.sh")
	p.registers = []*register{{Project: p, path: json, read: func(*registered, ask) *registered { return p.readRegisterJSON(json) }}}
	if !p.static {
		p.registers = append(p.registers, &register{Project: p, path: sh, read: func(before *registered, a ask) *registered {
			return p.runRegisterSH(sh, before, a)
		}})
	}
	p.lists = [kindCount]*list{
		p.newList(kindTool, p.tools, snapshotOf[*Tool]),
		p.newList(kindResource, resources, snapshotOf[*Resource]),
		p.newList(kindTemplate, resources, snapshotOf[*Template]),
		p.newList(kindPrompt, prompts, snapshotOf[*Prompt]),
		p.newList(kindCompleter, completers, snapshotOf[*Completer]),
	}
}

func anyFile(string) bool { return true }
func noFile(string) bool  { return false }

// newList returns a list of what is registered, or else stored, or else found in a folder.
func (p *Project) newList(k kind, found *tree, snapshot func(*state) any) *list {
	l := &list{Project: p, kind: k, tree: found, registers: p.registers[:len(p.registers):len(p.registers)], snapshot: snapshot}
	if p.registryDir == "" || k.storedName() == "" {
		return l
	}
	path := filepath.Join(p.registryDir, k.storedName())
	if p.static {
		l.registers = append(l.registers, &register{Project: p, path: path, stores: true, read: func(*registered, ask) *registered { return p.readStored(path, k) }})
	} else {
		l.file = path
	}
	return l
}
