// Package suggest finds what somebody meant who has mistyped a name.
package suggest

import "strings"

// Of returns the first of the names that is a typing mistake or two away from word, upper and lower
// case being the same; "" for none. A word of four letters may have one mistake, and as many letters
// must be right as are wrong: one letter says nothing about what was meant.
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

// Begun returns the names that begin with word, of which three letters or more must be there; upper
// and lower case are the same.
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

// Question asks for what may be meant, as in: did you mean new, init or list? It is empty for none.
func Question(meant ...string) string {
	if len(meant) == 0 {
		return ""
	}
	return "did you mean " + Or(meant...) + "?"
}

// Or lists alternatives, as in: new, init or list.
func Or(names ...string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Distance counts the slips between a and b: letters to insert, drop or change, and neighbours to
// swap. More than two are three: too many to matter.
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
