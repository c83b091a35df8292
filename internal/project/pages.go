package project

import (
	"os"
	"slices"
	"strings"
)

// withPages adds the user interfaces of the project to a list of resources without any: the Bash
// program kept them in a separate list, .registry/ui-resources.json. A list that contains a user
// interface itself is not changed.
type withPages struct {
	source
	pages source
	needs string // a file without which they are not added; empty: they always are
	all   merged
}

func (w *withPages) batch(k kind, a ask) *batch {
	b := w.source.batch(k, a)
	if b == nil || b.err != nil || slices.ContainsFunc(b.items, isPage) {
		return b
	}
	if w.needs != "" {
		if _, err := os.Lstat(w.needs); err != nil {
			return b
		}
	}
	return w.all.join(b, w.pages.batch(k, a))
}

func isPage(h foundItem) bool {
	r, ok := h.entry.(*Resource)
	return ok && strings.HasPrefix(r.URI, "ui:")
}
