package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// An Entry is an element of a list: a *[Tool], *[Resource], *[Template], *[Prompt], *[Completer] or *[Interceptor].
// They are not listed as a union, because then the compiler would compile all lists six times.
type Entry interface {
	// kind returns the kind of the entry. It works for nil too.
	kind() kind
	described() *Described
	// address is the URI or the URI template; "" for an entry without one.
	address() string
}

// A lookup is a way to find an entry.
type lookup int

const (
	byName    lookup = iota
	byAddress        // the URI of a resource, the URI template of a template
	lookups
)

// keyOf is the name or the address by which an entry is found, unique in a list; "" for none.
func keyOf(e Entry, by lookup) string {
	if by == byName {
		return e.described().Name
	}
	return e.address()
}

// A Snapshot is a list at one time. It is shared by all callers, who must not change it.
type Snapshot[T Entry] struct {
	Items  []T     // sorted by name, never nil
	Hash   string  // of everything that clients see of the items: equal hashes mean equal lists
	Faults []Fault // sorted by file and line
}

// Same reports whether two snapshots are identical.
func (s Snapshot[T]) Same(t Snapshot[T]) bool {
	return s.Hash == t.Hash && len(s.Items) == len(t.Items) && (len(s.Items) == 0 || &s.Items[0] == &t.Items[0])
}

// Listing returns the list to read in pages, with the items that shown accepts; nil accepts all.
// Its cursors become invalid when a shown item changes, and only then.
func (s Snapshot[T]) Listing(shown func(T) bool) Listing[T] {
	var none T
	l := Listing[T]{Cursors{kinds[none.kind()].key, s.Hash}, s.Items}
	hidden := func(e T) bool { return shown != nil && !shown(e) }
	if slices.ContainsFunc(s.Items, hidden) {
		l.Items = slices.DeleteFunc(slices.Clone(s.Items), hidden)
		l.Hash, _ = digest(l.Items)
	}
	return l
}

// snapshotOf returns the snapshot of a state.
func snapshotOf[T Entry](s *state) any {
	items := make([]T, len(s.entries))
	for i, e := range s.entries {
		items[i] = e.(T)
	}
	return Snapshot[T]{items, s.hash, s.faults}
}

// digest returns a hash of what clients see of the items, and its number of bytes.
func digest[T Entry](items []T) (hash string, size int) {
	sum := sha256.New()
	var w objectWriter
	for _, item := range items {
		w = w[:0]
		kinds[item.kind()].write(&w, item, paths{}, true)
		text := w.object()
		sum.Write(text)
		size += len(text)
	}
	return hex.EncodeToString(sum.Sum(nil)), size
}
