package project

import (
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A loader reads what a tool is made of.
type loader struct {
	root  string // of the project
	check func(schema []byte) error
}

// An item is a candidate and what came of it.
type item struct {
	candidate
	before *item // what it replaces, until it is loaded
	loaded bool
	tool   *Tool // nil for a helper, and when a fault spoils it
	listed [sha256.Size]byte
	deps   []dep // what it was made from, besides the script
	faults []Fault
}

// reuse is the item of a candidate as prev knows it if nothing of it has changed, or else a new one
// that is yet to be loaded.
func reuse(prev *folder, c candidate) *item {
	fresh := &item{candidate: c}
	if prev == nil {
		return fresh
	}
	i, known := slices.BinarySearchFunc(prev.items, c.file.name, func(it *item, name string) int {
		return strings.Compare(it.file.name, name)
	})
	if !known {
		return fresh
	}
	if was := prev.items[i]; was.current(c) {
		return was
	}
	fresh.before = prev.items[i]
	return fresh
}

// current reports whether the item still tells the truth about the candidate, which may be its own.
func (it *item) current(c candidate) bool {
	return it.file.stamp.same(c.file.stamp) &&
		it.name == c.name && it.helper == c.helper && it.idle == c.idle && slices.Equal(it.sidecars, c.sidecars) &&
		it.depsCurrent()
}

func (it *item) depsCurrent() bool {
	for _, d := range it.deps {
		if !d.current() {
			return false
		}
	}
	return true
}

func (f *folder) itemsCurrent() bool {
	for _, it := range f.items {
		if !it.depsCurrent() {
			return false
		}
	}
	return true
}

// load reads the metadata of a candidate and makes a tool of it.
func (l loader) load(dir string, it *item) {
	before := it.before
	it.before, it.loaded = nil, true
	script := filepath.Join(dir, it.file.name)
	m := l.metadata(script, it.candidate)
	it.deps = m.deps
	if it.helper && m.file == "" {
		it.faults = l.idleFault(script, it.candidate)
		return
	}
	switch {
	case m.unparsed && before != nil && before.tool != nil:
		l.keep(it, before, *m.faults)
	case !spoiled(*m.faults):
		tool, deps := l.readTool(script, it.candidate, m)
		it.deps = append(it.deps, deps...)
		if !spoiled(*m.faults) {
			it.tool, it.listed = tool, tool.listed()
		}
	}
	it.faults = *m.faults
}

// metadata reads what there is about a script: its files, or else its first lines.
func (l loader) metadata(script string, c candidate) metadata {
	if len(c.sidecars) == 0 {
		head, _ := readHead(script, headBytes) // a program may be for running only
		return readInline(l.root, script, head)
	}
	files := make([]string, len(c.sidecars))
	for i, name := range c.sidecars {
		files[i] = filepath.Join(filepath.Dir(script), name)
	}
	return readMetadata(l.root, files)
}

// keep lets a tool stay what it was while its metadata cannot be taken apart, as when an editor
// has saved half of it.
func (l loader) keep(it, before *item, faults []Fault) {
	tool := *before.tool
	tool.Executable = it.file.executable
	it.tool, it.listed = &tool, before.listed
	for i := range faults {
		faults[i].Reason += ", so what it said before still holds"
		faults[i].Warning = true
	}
}

// idleFault tells the author of a script in tools/ itself why it is no tool.
func (l loader) idleFault(script string, c candidate) []Fault {
	if !c.idle {
		return nil
	}
	return []Fault{{File: rel(l.root, script), Reason: "cannot be started, so it is no tool",
		Hint: "chmod +x it, or move it to lib/ if it is not meant to be one", Warning: true}}
}

// parallel calls do for 0 to n-1, several at a time, for files wait for the disk.
func parallel(n int, do func(i int)) {
	const most = 8
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, most) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	group.Wait()
}
