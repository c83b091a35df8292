package project

import (
	"maps"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// losses are the values of metadata that were refused. An invalid value costs that value, not the
// entry: the entry is read as if the value were absent, and clients see the metadata without it.
type losses struct {
	at     map[int]bool // where they begin in the document
	faults []Fault      // why, as warnings
}

func (l *losses) has(m member) bool { return l != nil && l.at[m.start] }

// filter returns the members that are not lost.
func (l *losses) filter(members []member) []member {
	if l == nil || len(l.at) == 0 {
		return members
	}
	return slices.DeleteFunc(slices.Clone(members), l.has)
}

// inside counts the losses within a value.
func (l *losses) inside(m member) (n int) {
	if l != nil {
		for at := range maps.Keys(l.at) {
			if m.start < at && at < m.start+len(m.value) {
				n++
			}
		}
	}
	return n
}

// without returns a value without the losses in it.
func (l *losses) without(m member) jsontext.Value {
	if l.inside(m) == 0 {
		return m.value
	}
	if m.value.Kind() == '[' {
		b := []byte{'['}
		for i, child := range l.filter(elements(m)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, l.without(child)...)
		}
		return append(b, ']')
	}
	members, _ := membersOf(m.value, m.start) // parsing saw that it is valid
	var w objectWriter
	for _, child := range l.filter(members) {
		w.json(child.name, l.without(child))
	}
	return w.object()
}

// readUntilStable calls read, which builds an entry from the metadata, until it refuses no more
// values. Each time the values refused before are absent, so code that requires one reports that
// itself.
func (m metadata) readUntilStable(read func()) {
	known := slices.Clone(*m.faults)
	lost := m.object.lost
	if lost == nil { // there is no metadata
		read()
		return
	}
	for before := -1; before < len(lost.at); {
		before = len(lost.at)
		*m.faults = slices.Clone(known)
		read()
	}
	*m.faults = append(*m.faults, lost.faults...)
}
