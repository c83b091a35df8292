package jq

// Rows returns the rows for tests of other users of the language.
func Rows() (all [][2]string) {
	for _, r := range rows() {
		if w := words(r.args); len(w) > 0 && len(w) <= 2 && (len(w) == 1 || w[0] == "-c" || w[0] == "-r") {
			all = append(all, [2]string{w[len(w)-1], r.in})
		}
	}
	return all
}
