package catalog

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A candidate is a file that is an entry, at least if it has metadata.
type candidate struct {
	path         string // absolute; of its metadata if it is alone
	file         *file
	name         string   // of the entry, unless metadata gives another
	fallbackName string   // the name to use if name is taken; may be empty
	sidecars     []string // its metadata files; the first one is used
	completer    *file    // the script beside it that completes its arguments; nil if there is none
	helper       bool     // an entry only with metadata of its own
	idle         bool     // a helper only because it is not executable
	alone        bool     // there is only metadata
	registered   bool     // a registration says where its file is
	ui           bool     // there is a folder ui/ beside it
}

// An item is a candidate and the result of loading it.
type item struct {
	candidate
	folder *folder // that it was found in; nil if it was registered
	kind   kind
	entry  Entry // nil for a helper, and if a fault leaves it out
	deps   []dep // the files that it was built from, besides its own
	faults []Fault
}

// item returns the item of a candidate in the folder f: as it was in prev if it has not changed.
func (s *scan) item(c candidate, f, prev *folder) *item {
	c.path = filepath.Join(f.dir, c.file.name)
	var before *item
	if prev != nil {
		i, known := slices.BinarySearchFunc(prev.items, c.file.name, func(it *item, name string) int {
			return strings.Compare(it.file.name, name)
		})
		if known {
			before = prev.items[i]
		}
	}
	if before != nil && before.current(c) {
		same := *before
		same.folder, same.file, same.completer = f, c.file, c.completer
		return &same
	}
	it := &item{candidate: c, folder: f, kind: s.kinds[0]}
	s.load(s.rules, it, before)
	return it
}

// current reports whether the item is up to date for the candidate, which may be its own.
func (i *item) current(c candidate) bool {
	return i.same(c) && slices.Equal(i.sidecars, c.sidecars) &&
		(c.alone || i.file.stamp.Same(c.file.stamp)) &&
		(c.completer == nil || i.completer.stamp.Same(c.completer.stamp)) &&
		!i.stale()
}

// same reports whether candidates are equal, apart from the contents of files.
func (c candidate) same(d candidate) bool {
	return c.name == d.name && c.fallbackName == d.fallbackName && c.completer.isNamed(d.completer) &&
		c.helper == d.helper && c.idle == d.idle && c.alone == d.alone && c.ui == d.ui
}

// unchanged reports whether no entry was added to the folder of the item or removed, and all files
// that the item was built from are unchanged.
func (i *item) unchanged() bool {
	if i.folder != nil && !(dep{i.folder.dir, i.folder.stamp}).current() {
		return false
	}
	return (i.alone || dep{i.path, i.file.stamp}.current()) && !i.stale()
}

// usesFallback reports whether the entry takes its fallback name if its default name is taken.
func (i *item) usesFallback() bool {
	return i.kind == kindResource && i.fallbackName != "" && keyOf(i.entry, byName) == i.name
}

// renamed returns the item of a resource with its fallback name.
func (i *item) renamed() *item {
	it, r := *i, *i.entry.(*Resource)
	r.Name, it.entry = i.fallbackName, &r
	return &it
}

// stale reports whether a file has changed that the item was built from, besides its own.
func (i *item) stale() bool {
	return slices.ContainsFunc(i.deps, func(d dep) bool { return !d.current() })
}

// load reads the metadata of a candidate and builds its entry. before is the item
// that it replaces; nil if it is new.
func (p *Project) load(r rules, it, before *item) {
	m := p.metadata(r, it.candidate)
	defer func() { it.deps = m.deps }()
	if it.helper && m.file == "" {
		if it.idle {
			it.faults = []Fault{{File: p.Rel(it.path), Reason: "cannot be started, so it is not a tool",
				Hint: "chmod +x it, or move it to lib/ if it is not meant to be one", Warning: true}}
		}
		return
	}
	if m.unparsed && before != nil && before.entry != nil { // an editor may have saved half of it
		it.kind, it.entry = before.kind, before.entry
		for i := range m.faults {
			m.faults[i].Reason += ", keeping the previous version"
			m.faults[i].Warning = true
		}
	} else {
		it.entry = m.entry(func() Entry {
			made := r.read(p, it.candidate, m)
			if made != nil {
				it.kind = made.kind() // also of one that is left out
			}
			return made
		})
	}
	it.faults = m.faults
}

// metadata reads the metadata of a candidate: from its metadata files, or else from its first
// lines.
func (p *Project) metadata(r rules, c candidate) metadata {
	if len(c.sidecars) == 0 {
		var head []byte
		if r.inline(c.file.name) {
			head, _ = files.Head(c.path, headBytes) // a program may be unreadable
		}
		return readInline(p.root, c.path, head, c.file.script)
	}
	paths := make([]string, len(c.sidecars))
	for i, name := range c.sidecars {
		paths[i] = filepath.Join(filepath.Dir(c.path), name)
	}
	return readMetadata(p.root, paths)
}

// minParallel is the number of calls from which on goroutines are worthwhile, and how many run at a time at most: they
// take threads of the operating system, which are kept.
const minParallel = 8

// parallel calls do for 0 to n-1, several at a time, because files wait for the disk.
func parallel(n int, do func(i int)) {
	if n < minParallel {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(1+n/minParallel, minParallel) { // a goroutine for each call would grow its stack anew
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	group.Wait()
}
