// Package suggest finds the names that a mistyped name may mean.
package suggest

import (
	"slices"
	"strings"
)

// Of returns the name closest to word that differs from it by at most two typing errors, ignoring case;
// "" for none. A word of up to four letters may have one error, and there must be fewer errors than
// letters in either: a single letter does not show what was meant.
func Of(word string, names []string) string {
	best, least := "", 3
	folded := strings.ToLower(word)
	for _, n := range names {
		d := Distance(folded, strings.ToLower(n))
		if len(word) <= 4 && d > 1 || d >= min(len(word), len(n)) {
			continue
		}
		if d < least {
			best, least = n, d
		}
	}
	return best
}

// Holding returns the only name that has all the parts of word between underscores: TOOL_TIMEOUT means
// DEFAULT_TOOL_TIMEOUT. It is "" for none, and for several.
func Holding(word string, names []string) (held string) {
	parts := strings.Split(strings.ToLower(word), "_")
	for _, n := range names {
		has := strings.Split(strings.ToLower(n), "_")
		if slices.ContainsFunc(parts, func(p string) bool { return !slices.Contains(has, p) }) {
			continue
		}
		if held != "" {
			return ""
		}
		held = n
	}
	return held
}

// Begun returns the names that begin with word, ignoring case. The word must have at least three
// letters.
func Begun(word string, names []string) (begun []string) {
	if len(word) < 3 {
		return nil
	}
	for _, n := range names {
		if len(n) > len(word) && strings.EqualFold(n[:len(word)], word) {
			begun = append(begun, n)
		}
	}
	return begun
}

// Meant returns the names that word may mean: the one that is closest to it, or else those that begin with it.
func Meant(word string, names []string) []string {
	if near := Of(word, names); near != "" {
		return []string{near}
	}
	return Begun(word, names)
}

// Question returns the question for what may be meant, as in: did you mean new, init or list? It is empty for none.
func Question(meant ...string) string {
	if len(meant) == 0 {
		return ""
	}
	return "did you mean " + Or(meant...) + "?"
}

// Or joins alternatives, as in: new, init or list.
func Or(names ...string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Distance returns the edit distance of a and b: letters to insert, drop or change, and neighbours to
// swap. A distance of more than two is returned as three.
func Distance(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return min(row[len(b)], 3)
}
