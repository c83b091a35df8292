package project

import (
	"os"
	"slices"
	"strings"
)

// withPages is a list of resources that somebody made without a thought of user interfaces, and
// those that are found: the Bash program had them in a list of their own, .registry/ui-resources.json.
// A list that names one itself is taken as it is.
type withPages struct {
	source
	pages source
	needs string // a file without which they are not looked for; empty: they always are
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
