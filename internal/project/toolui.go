package project

import (
	"path/filepath"
	"sync"
)

// toolInterfaces are the user interfaces of tools as a source of resources.
type toolInterfaces struct {
	root  string
	tools *catalog[*Tool]

	mu   sync.Mutex
	from *state[*Tool]
	last *batch
}

func (u *toolInterfaces) batch(_ kind, a ask) *batch {
	tools := u.tools.at(a)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.from == tools {
		return u.last
	}
	b := &batch{}
	for _, t := range tools.snapshot.Items {
		if t.UI == nil {
			continue
		}
		dir := filepath.Join(t.Dir, "ui")
		of := tools.by[byName][t.Name]
		c := candidate{path: dir, name: filepath.Base(t.Dir), fallbackName: rel(u.root, dir), alone: true}
		b.items = append(b.items, foundItem{&item{candidate: c, loaded: true, kind: kindResource, entry: t.UI, deps: of.deps}, of.folder})
	}
	if u.last == nil || len(b.items) > 0 || len(u.last.items) > 0 {
		u.last = b
	}
	u.from = tools
	return u.last
}

func (u *toolInterfaces) same() bool { return true }
