package project

import (
	"path/filepath"
	"slices"
)

// touched returns the lists that may have changed since a time, as [Now] returns it: one of the
// files that they were built from, or of the scanned folders, has changed since.
func (p *Project) touched(at int64) (lists Kinds) {
	for _, path := range []string{p.serverDir, filepath.Join(p.serverDir, "register.json"), filepath.Join(p.serverDir, "register.sh")} {
		if depOf(path).stamp.changed >= at {
			return p.ListsAt(p.serverDir)
		}
	}
	for _, t := range p.trees {
		for _, f := range t.lastFolders() {
			if f.touched(at) {
				lists |= t.lists
				break
			}
		}
	}
	return lists
}

func (f *folder) touched(at int64) bool {
	return f.stamp.changed >= at ||
		slices.ContainsFunc(f.files, func(one file) bool { return one.stamp.changed >= at }) ||
		slices.ContainsFunc(f.items, func(it *item) bool {
			return slices.ContainsFunc(it.deps, func(d dep) bool { return d.stamp.changed >= at })
		})
}
