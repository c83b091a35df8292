package process

import "unicode/utf8"

// Tail is a writer that keeps the last Limit bytes and counts all. Writing to it never
// fails. It grows as needed and never holds more than Limit bytes. It is not safe for
// concurrent use.
type Tail struct {
	Limit int

	kept  []byte
	total int64
}

// Write keeps the end of p and reports that all of it was written.
func (t *Tail) Write(p []byte) (int, error) {
	n, limit := len(p), max(0, t.Limit)
	t.total += int64(n)
	p = p[max(0, n-limit):]
	if over := len(t.kept) + len(p) - limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	t.kept = appendWithin(t.kept, p, limit)
	return n, nil
}

// Total returns the number of bytes written.
func (t *Tail) Total() int64 { return t.total }

// Truncated reports whether more was written than kept.
func (t *Tail) Truncated() bool { return t.total > int64(len(t.kept)) }

// Text returns what was kept. A character that the limit cut in two is left out; bytes that
// are not UTF-8 stay as they are.
func (t *Tail) Text() string {
	if t.Truncated() {
		return string(t.kept[firstBorder(t.kept):])
	}
	return string(t.kept)
}

// firstBorder returns how many bytes at the start of b belong to a character that began
// before it. A character has no more than three such bytes; a longer sequence is not
// UTF-8.
func firstBorder(b []byte) int {
	n := 0
	for n < min(len(b), utf8.UTFMax) && !utf8.RuneStart(b[n]) {
		n++
	}
	if n >= utf8.UTFMax {
		return 0
	}
	return n
}
