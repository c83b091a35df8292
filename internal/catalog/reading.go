package catalog

import (
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A reading collects what is found while a document is read.
type reading struct {
	doc    *document.Document
	faults []Fault
	deps   []dep // the files that the result depends on

	// An invalid value of metadata costs that value, not the entry: the entry is read as if the
	// value were absent, and clients see the metadata without it.
	tolerant bool         // otherwise an invalid value leaves the entry out
	refused  map[int]bool // where the invalid values begin in the document
	refusals []Fault      // why they are invalid, as warnings
}

// add adds a fault that is about no field.
func (r *reading) add(f Fault) { r.faults = append(r.faults, f) }

// dependsOn adds files that the result depends on.
func (r *reading) dependsOn(deps ...dep) { r.deps = append(r.deps, deps...) }

func (r *reading) isRefused(m json.Member) bool { return r.refused[m.Start] }

// withoutRefused returns the members that are not refused.
func (r *reading) withoutRefused(members []json.Member) []json.Member {
	if len(r.refused) == 0 {
		return members
	}
	return slices.DeleteFunc(slices.Clone(members), r.isRefused)
}

// refusedIn counts the refused values within a value.
func (r *reading) refusedIn(m json.Member) (n int) {
	for at := range r.refused {
		if m.Start < at && at < m.Start+len(m.Value) {
			n++
		}
	}
	return n
}

// shown returns a value as clients see it: without the refused values in it; nil for none.
func (r *reading) shown(m json.Member) json.Value {
	if r.refusedIn(m) == 0 {
		return m.Value
	}
	if m.Value.Kind() == '[' {
		var items []json.Value
		for _, child := range r.withoutRefused(document.Elements(m)) {
			items = append(items, r.shown(child))
		}
		return json.Array(items)
	}
	var w objectWriter
	for _, child := range r.withoutRefused(document.Members(m)) {
		w.add(child.Name, r.shown(child))
	}
	return w.object()
}

// untilStable calls read, which builds an entry, until it refuses no more values. Each time the
// values refused before are absent, so code that requires one reports that itself.
func (r *reading) untilStable(read func()) {
	known := slices.Clone(r.faults)
	for before := -1; before < len(r.refused); {
		before = len(r.refused)
		r.faults = slices.Clone(known)
		read()
	}
	r.faults = append(r.faults, r.refusals...)
}
