package catalog

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A source is one place where entries come from. There are four: a folder such as tools/, which is a [tree],
// server.d/register.json, what register.sh writes, and a list in .registry/.
type source struct {
	*Project
	stores bool // it is a list in .registry/, which is served without checking the files of its entries
	// look looks at the place anew; before is what was found last, nil the first time, and is returned if nothing has
	// changed.
	look func(before *records, a ask) *records

	mu    sync.Mutex              // one look at a time
	last  atomic.Pointer[records] // nil before the first look
	began uint64                  // when the last look began
}

// records are what a source contains. They do not change.
type records struct {
	batches [kindCount]*batch  // nil for a list that it does not contain
	from    dep                // the file; of none for a folder
	folders map[string]*folder // of a tree, by their paths

	ran    time.Time // when register.sh ended, as it may take longer than this is valid; zero if it was not run
	output []byte    // of register.sh; nil if it failed
}

// at returns the records as the files are now. Concurrent callers share a look.
func (s *source) at(a ask) *records {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.last.Load()
	if last != nil && s.began > a.since && (a.idle || !last.expired()) {
		return last
	}
	s.began = s.clock.Add(1)
	last = s.look(last, a)
	s.last.Store(last)
	return last
}

// unchanged reports whether at would return the same for a file, apart from changes of single entries, which
// these detect themselves. It only checks the file.
func (s *source) unchanged() bool {
	last := s.last.Load()
	return last != nil && last.from.current() && !last.expired()
}

// ran reports whether what it contains is the output of register.sh.
func (s *source) ran() bool {
	last := s.last.Load()
	return last != nil && !last.ran.IsZero()
}

// expired reports whether register.sh has to be run again.
func (r *records) expired() bool { return !r.ran.IsZero() && time.Since(r.ran) > hookTTL }

// current reports whether all files that the records were made from are unchanged; r may be nil.
func (r *records) current() bool {
	return r != nil && r.from.current() && r.entriesCurrent()
}

// entriesCurrent reports whether all files that the entries were built from are unchanged.
func (r *records) entriesCurrent() bool {
	for _, b := range r.batches {
		if b != nil && slices.ContainsFunc(b.items, (*item).stale) {
			return false
		}
	}
	return true
}

// fail makes faults the answer of all lists; cause is why the file cannot be read at all, nil if it can.
func (r *records) fail(cause error, faults ...Fault) {
	err := failed(faults...)
	err.cause = cause
	for k := range r.batches {
		r.batches[k] = &batch{err: err}
	}
}

// A tree is the source that is a folder of the project with everything below it.
type tree struct {
	source
	rules
	dir   string // absolute
	lists Kinds  // that its files contribute to
}

// rules determine what the files of a tree are.
type rules struct {
	kinds   []kind // of its entries; faults of no single entry are reported for the first
	depth   int    // how many levels of folders below dir are read
	tooDeep string // the hint for deeper entries
	sniffs  bool   // files that are not otherwise known as scripts are scripts if they begin with #!

	// ignores reports whether a file is, by its name, irrelevant.
	ignores func(name string) bool
	// plan classifies the files of one folder.
	plan func(at place, in contents) plan
	// inline reports whether the first lines of a file may contain metadata.
	inline func(name string) bool
	// read builds the entry of a candidate, and adds faults and deps to the metadata. It may be
	// called from several goroutines.
	read func(p *Project, c candidate, m metadata) Entry
}

// newTree returns the tree of a folder: the one that an option names, or else the usual one.
func (p *Project) newTree(option, usual string, lists Kinds, r rules) *tree {
	t := &tree{source: source{Project: p}, rules: r, dir: below(p.root, option, usual), lists: lists}
	t.look = func(before *records, _ ask) *records { return t.scan(before) }
	p.trees = append(p.trees, t)
	return t
}

// scan looks at all folders.
func (t *tree) scan(before *records) *records {
	s := scan{tree: t}
	if before != nil {
		s.prev = before.folders
	}
	folders := s.walk()
	if before != nil && len(folders) == len(before.folders) &&
		!slices.ContainsFunc(folders, func(f *folder) bool { return before.folders[f.dir] != f }) {
		return before
	}
	return gathered(folders, t.kinds)
}

// gathered are the records in folders, sorted by path and kind.
func gathered(folders []*folder, kinds []kind) *records {
	r := &records{folders: make(map[string]*folder, len(folders))}
	for _, k := range kinds {
		r.batches[k] = &batch{}
	}
	first := r.batches[kinds[0]]
	var items []*item
	for _, f := range folders {
		r.folders[f.dir] = f
		first.faults = append(first.faults, f.faults...)
		items = append(items, f.items...)
	}
	slices.SortFunc(items, func(a, b *item) int {
		return cmp.Or(strings.Compare(a.folder.dir, b.folder.dir), strings.Compare(a.file.name, b.file.name))
	})
	for _, it := range items {
		r.batches[it.kind].items = append(r.batches[it.kind].items, it)
	}
	return r
}

// assemble makes the sources and the lists.
func (p *Project) assemble() {
	own, usual := p.o.Folders, Usual()
	p.tools = p.newTree(own.Tools, usual.Tools, Tools|Resources, rules{
		kinds: []kind{kindTool}, depth: toolDepth, tooDeep: fmt.Sprintf("put it at most %d folders below tools/", toolDepth),
		sniffs: true, ignores: isDocument, plan: planTools, inline: anyFile, read: (*Project).readTool,
	})
	resources := p.newTree(own.Resources, usual.Resources, Resources|Templates, rules{
		kinds: []kind{kindResource, kindTemplate}, depth: filesDepth, tooDeep: "put it into fewer folders",
		ignores: isCopy, plan: planResources, inline: mayHoldMetadata, read: (*Project).readAnyResource,
	})
	prompts := p.newTree(own.Prompts, usual.Prompts, Prompts, rules{
		kinds: []kind{kindPrompt}, depth: filesDepth, tooDeep: "put it into fewer folders",
		ignores: isCopyOrImage, plan: planPrompts, inline: mayHoldMetadata, read: (*Project).readPrompt,
	})
	completers := p.newTree(own.Completions, usual.Completions, Templates|Prompts, rules{
		kinds: []kind{kindCompleter}, sniffs: true, ignores: isDocument, plan: planCompleters, inline: anyFile,
		read: (*Project).readCompleter,
	})
	interceptors := p.newTree(own.Interceptors, usual.Interceptors, 0, rules{
		kinds: []kind{kindInterceptor}, depth: toolDepth, tooDeep: "put it directly into interceptors/, or one folder below",
		sniffs: true, ignores: isDocument, plan: planTools, inline: anyFile, read: (*Project).readInterceptor,
	})
	p.interfaces = p.newTree(own.UI, usual.UI, Resources, rules{
		kinds: []kind{kindResource}, depth: 1, ignores: isCopy, plan: planInterfaces,
		inline: func(string) bool { return false }, read: (*Project).readInterface,
	})
	p.dirs = [kindCount]string{p.tools.dir, resources.dir, resources.dir, prompts.dir, p.root, interceptors.dir}

	p.sources = []*source{{Project: p, look: p.readRegisterJSON}}
	if !p.o.Static {
		p.sources = append(p.sources, &source{Project: p, look: p.runRegisterSH})
	}
	for k, found := range [kindCount]*tree{p.tools, resources, resources, prompts, completers, interceptors} {
		p.lists[k] = p.newList(kind(k), found)
	}
}

func anyFile(string) bool { return true }

// newList returns a list of what is registered, or else stored, or else found in a folder.
func (p *Project) newList(k kind, found *tree) *list {
	l := &list{Project: p, kind: k, tree: found, sources: p.sources[:len(p.sources):len(p.sources)]}
	switch path := filepath.Join(p.registryDir, kinds[k].file); {
	case p.registryDir == "" || kinds[k].file == "":
	case p.o.Static:
		l.sources = append(l.sources, &source{Project: p, stores: true,
			look: func(before *records, _ ask) *records { return p.readStored(path, k, before) }})
	default:
		l.file = path
	}
	return l
}
