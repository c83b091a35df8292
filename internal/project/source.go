package project

import (
	"slices"
	"sync"
)

// A source has entries: a folder of the project, or a registration.
type source interface {
	// batch is what there is of the kind, or nil to leave that to the next source. The same
	// pointer as before means that nothing has changed.
	batch(k kind, a ask) *batch
	// same reports, after a look at a file or two, whether batch would still leave to the next
	// source what it left, or give what it gave. Whether a single entry is as it was, they tell.
	same() bool
}

// An ask says how fresh an answer must be.
type ask struct {
	since uint64 // what is found must have been looked for after this tick of the project's clock
	idle  bool   // nobody waits for the answer: not worth running a script
}

// A batch is what a source has of one kind.
type batch struct {
	items  []foundItem // in the order of precedence: of two with one name the first stays
	faults []Fault
	err    error // instead of all that, wraps ErrRegistration
}

// A foundItem is an item and the folder that it was found in; nil where it was registered.
type foundItem struct {
	*item
	folder *folder
}

// current reports whether nothing came into the folder or left it, and all that the item was made
// from is as it was.
func (h foundItem) current() bool {
	if h.folder != nil && !(dep{h.folder.dir, h.folder.stamp}).current() {
		return false
	}
	return (h.alone || dep{h.path, h.file.stamp}.current()) && h.depsCurrent()
}

// yields reports whether the entry takes its spare name where its usual one is taken.
func (h foundItem) usesFallback() bool {
	return h.kind == kindResource && h.fallbackName != "" && h.entry.key(byName) == h.name
}

// merged is several sources as one: all that each of them has.
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

// join makes one batch of several, the same as before if they are.
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
