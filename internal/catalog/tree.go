package catalog

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A tree is a folder of the project, such as tools/, with everything below it.
type tree struct {
	*Project
	rules
	dir   string // absolute
	lists Kinds  // that its files contribute to

	mu    sync.Mutex // one scan at a time
	last  *scanned   // nil before the first
	scans int        // so far
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

// A scanned tree is the result of one scan. It does not change.
type scanned struct {
	began   uint64 // on the project's clock
	folders map[string]*folder
	batches [kindCount]*batch
}

// at returns the result of a scan that began after since. If the last one did, it is reused, so
// concurrent callers share a scan.
func (t *tree) at(since uint64) *scanned {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.last
	if before != nil && before.began > since {
		return before
	}
	t.scans++
	began := t.clock.Add(1)
	s := scan{tree: t}
	if before != nil {
		s.prev = before.folders
	}
	folders := s.walk()
	if before != nil && unchanged(before, folders) {
		t.last = &scanned{began, before.folders, before.batches}
	} else {
		t.last = &scanned{began: began}
		t.last.gather(folders, t.kinds)
	}
	return t.last
}

// lastFolders returns the folders that the last scan found.
func (t *tree) lastFolders() map[string]*folder {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		return nil
	}
	return t.last.folders
}

// unchanged reports whether a scan found only folders that it reused from the previous one.
func unchanged(before *scanned, folders []*folder) bool {
	return len(folders) == len(before.folders) &&
		!slices.ContainsFunc(folders, func(f *folder) bool { return before.folders[f.dir] != f })
}

// gather sorts what was found by path and kind.
func (s *scanned) gather(folders []*folder, kinds []kind) {
	for _, k := range kinds {
		s.batches[k] = &batch{}
	}
	s.folders = make(map[string]*folder, len(folders))
	first := s.batches[kinds[0]]
	var items []*item
	for _, f := range folders {
		s.folders[f.dir] = f
		first.faults = append(first.faults, f.faults...)
		items = append(items, f.items...)
	}
	slices.SortFunc(items, func(a, b *item) int {
		return cmp.Or(strings.Compare(a.folder.dir, b.folder.dir), strings.Compare(a.file.name, b.file.name))
	})
	for _, it := range items {
		s.batches[it.kind].items = append(s.batches[it.kind].items, it)
	}
}
