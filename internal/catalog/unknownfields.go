package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// warnMisspelled warns of fields that look like a known one but are not: a misspelt field has no
// effect, which its author would not notice. Other unknown fields are ignored.
func (o object) warnMisspelled(known ...string) {
	for _, m := range o.members {
		if slices.Contains(known, m.name) {
			continue
		}
		if i := slices.IndexFunc(known, func(k string) bool { return isMisspelled(m.name, k) }); i >= 0 {
			o.warn(m, "is not a known field, so it has no effect", fmt.Sprintf("did you mean %s?", known[i]))
		}
	}
}

// isMisspelled reports whether name may stand for the field known: other case or separators
// (timeout_secs), an unfinished word (timeout), or one or two wrong letters in a longer word.
func isMisspelled(name, known string) bool {
	name, known = fold(name), fold(known)
	switch {
	case name == known:
		return true
	case len(name) >= 4 && strings.HasPrefix(known, name):
		return true
	case len(known) >= 8:
		return suggest.Distance(name, known) <= 2
	case len(known) >= 5:
		return suggest.Distance(name, known) <= 1
	}
	return false
}

func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, name))
}
