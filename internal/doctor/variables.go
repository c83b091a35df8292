package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// variables finds names that look like ours and are not: a typing error changes nothing, and
// nobody says so.
func (e *examination) variables() []Finding {
	var all []Finding
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		if !strings.HasPrefix(name, "MCPBASH_") || slices.Contains(e.Names, name) {
			continue
		}
		f := Finding{ID: "env.unknown_variable", Severity: Warning, Message: fmt.Sprintf("nothing reads the variable %s", name), Command: "unset " + name}
		if meant := nearest(name, e.Names); meant != "" {
			f.Message += fmt.Sprintf("; did you mean %s?", meant)
		}
		all = append(all, f)
	}
	return all
}

// nearest is the first of the names that is a typing error or two away; "" for none.
func nearest(name string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		if d := distance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance counts the letters to change, add or take away to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
