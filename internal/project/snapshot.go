package project

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// An Entry is what lists are made of.
type Entry interface {
	*Tool | *Resource | *Template | *Prompt | *Completer
	entry
}

type entry interface {
	// kind works for nil too.
	kind() kind
	// key is the name, or the address, by which an entry is found; no two of a list have the same.
	// One that has no address gives "".
	key(by lookup) string
	// listed appends all that clients see of the entry, each part by appendPart.
	listed(b []byte) []byte
	// cached writes the entry as a registration would.
	cached(w *objectWriter, at paths)
}

// A lookup is a way to find an entry.
type lookup int

const (
	byName    lookup = iota
	byAddress        // the URI of a resource, the URI template of a template
	lookups
)

// A Snapshot is what was found at one time. It is shared by all who asked for it: read it, do not
// change it.
type Snapshot[T Entry] struct {
	Items  []T     // sorted by name, never nil
	Hash   string  // of all that clients see of the items: equal hashes, equal lists
	Faults []Fault // sorted by file and line
}

// Same reports whether two snapshots are the very same: nothing was found that is not in both.
func (s Snapshot[T]) Same(t Snapshot[T]) bool {
	return s.Hash == t.Hash && len(s.Items) == len(t.Items) && (len(s.Items) == 0 || &s.Items[0] == &t.Items[0])
}

// Listing is the list to read page by page, with the items that shown accepts; nil accepts all.
// Its cursors end when something changes in what is shown, and only then.
func (s Snapshot[T]) Listing(shown func(T) bool) Listing[T] {
	var none T
	l := Listing[T]{Collection: none.kind().key(), Hash: s.Hash, Items: s.Items}
	if shown != nil {
		l.Items = slices.DeleteFunc(slices.Clone(s.Items), func(e T) bool { return !shown(e) })
	}
	if len(l.Items) != len(s.Items) {
		l.Hash, _ = digest(l.Items)
	}
	return l
}

// digest is a hash of what clients see of the items, and the number of bytes that they are.
func digest[T Entry](items []T) (hash string, size int) {
	sum := sha256.New()
	var b []byte
	for _, item := range items {
		b = item.listed(b[:0])
		sum.Write(b)
		size += len(b)
	}
	return hex.EncodeToString(sum.Sum(nil)), size
}

// appendPart appends a part of what is digested, so that no two rows of parts look alike.
func appendPart[P ~string | ~[]byte](b []byte, part P) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(part)))
	return append(b, part...)
}
