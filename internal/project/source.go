package project

import (
	"slices"
	"sync"
)

// A source provides entries: a folder of the project, or a registration.
type source interface {
	// batch returns the entries of the kind, or nil to leave it to the next source. The same
	// pointer as before means that nothing has changed.
	batch(k kind, a ask) *batch
	// same reports, after checking a file or two, whether batch would return the same as before,
	// apart from changes of single entries, which these detect themselves.
	same() bool
}

// An ask defines how fresh an answer must be.
type ask struct {
	since uint64 // the files must have been checked after this tick of the project's clock
	idle  bool   // nobody waits for the answer: no script is run for it
}

// A batch is the entries of one kind in a source.
type batch struct {
	items  []foundItem // in the order of precedence: of two with the same name the first is kept
	faults []Fault
	err    error // instead of the rest; wraps ErrRegistration
}

// A foundItem is an item and the folder that it was found in; nil if it was registered.
type foundItem struct {
	*item
	folder *folder
}

// current reports whether no entry was added to the folder or removed, and all files that the item
// was built from are unchanged.
func (h foundItem) current() bool {
	if h.folder != nil && !(dep{h.folder.dir, h.folder.stamp}).current() {
		return false
	}
	return (h.alone || dep{h.path, h.file.stamp}.current()) && h.depsCurrent()
}

// usesFallback reports whether the entry takes its fallback name if its default name is taken.
func (h foundItem) usesFallback() bool {
	return h.kind == kindResource && h.fallbackName != "" && h.entry.key(byName) == h.name
}

// merged combines the entries of several sources.
type merged struct {
	parts []source

	mu   sync.Mutex
	from []*batch
	last *batch
}

func (m *merged) batch(k kind, a ask) *batch {
	var from []*batch
	for _, part := range m.parts {
		from = append(from, part.batch(k, a))
	}
	return m.join(from...)
}

// join combines batches; for the same batches as before, it returns the same result.
func (m *merged) join(from ...*batch) *batch {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil || !slices.Equal(from, m.from) {
		m.from, m.last = from, &batch{}
		for _, b := range from {
			m.last.items = append(m.last.items, b.items...)
			m.last.faults = append(m.last.faults, b.faults...)
		}
	}
	return m.last
}

func (m *merged) same() bool { return true }
