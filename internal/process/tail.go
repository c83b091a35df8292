package process

import "unicode/utf8"

// Tail is a writer that keeps the last Limit bytes and counts all. Writing to it never
// fails. It grows as needed and never holds more than Limit bytes. It is not safe for
// concurrent use.
type Tail struct {
	Limit int

	ring  []byte // the bytes kept; once full, the oldest is at start
	start int
	total int64
}

// Write keeps the end of p and reports that all of it was written.
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	t.total += int64(n)
	if t.Limit <= 0 {
		return n, nil
	}
	p = p[max(0, n-t.Limit):]
	room := min(t.Limit-len(t.ring), len(p))
	t.ring = appendWithin(t.ring, p[:room], t.Limit)
	for p = p[room:]; len(p) > 0; {
		k := copy(t.ring[t.start:], p)
		t.start = (t.start + k) % t.Limit
		p = p[k:]
	}
	return n, nil
}

// Total returns the number of bytes written.
func (t *Tail) Total() int64 { return t.total }

// Truncated reports whether more was written than kept.
func (t *Tail) Truncated() bool { return t.total > int64(len(t.ring)) }

// Text returns what was kept. A character that the limit cut in two is left out; bytes that
// are not UTF-8 stay as they are.
func (t *Tail) Text() string {
	b := make([]byte, 0, len(t.ring))
	b = append(append(b, t.ring[t.start:]...), t.ring[:t.start]...)
	if t.Truncated() {
		b = b[firstBorder(b):]
	}
	return string(b)
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
