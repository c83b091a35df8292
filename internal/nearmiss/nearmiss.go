// Package nearmiss finds what somebody meant who has mistyped a name.
package nearmiss

// Of returns the first of the names that is a typing mistake or two away from
// word; "" for none.
func Of(word string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		if d := Distance(word, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance counts the letters to insert, drop or change to make b of a; more than two
// are three: too many to matter.
func Distance(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
