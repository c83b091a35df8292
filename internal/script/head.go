package script

import "unicode/utf8"

// Head is a writer that keeps the first Limit bytes and counts all. Writing to it never
// fails, so a command that writes more is neither blocked nor ended. It grows as needed and
// never holds more than Limit bytes. It is not for use by several goroutines at once.
type Head struct {
	Limit int

	kept  []byte
	total int64
}

// Write keeps what fits and reports that all of p was written.
func (h *Head) Write(p []byte) (int, error) {
	h.total += int64(len(p))
	if room := h.Limit - len(h.kept); room > 0 {
		h.kept = appendWithin(h.kept, p[:min(room, len(p))], h.Limit)
	}
	return len(p), nil
}

// Total is the number of bytes written.
func (h *Head) Total() int64 { return h.total }

// Truncated reports whether more was written than kept.
func (h *Head) Truncated() bool { return h.total > int64(len(h.kept)) }

// Bytes returns what was kept. It is valid until the next Write and must not be changed.
func (h *Head) Bytes() []byte { return h.kept }

// Text returns what was kept. A character that the limit cut in two is left out; bytes that
// are no UTF-8 stay as they are.
func (h *Head) Text() string {
	if !h.Truncated() {
		return string(h.kept)
	}
	return string(h.kept[:lastBorder(h.kept)])
}

// lastBorder returns the length of b without a character at its end that is not complete.
func lastBorder(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				break
			}
			return i
		}
	}
	return len(b)
}

// appendWithin appends p to b, which together are not longer than limit, and doubles the
// capacity as append does, but not beyond limit.
func appendWithin(b, p []byte, limit int) []byte {
	need := len(b) + len(p)
	if need > cap(b) {
		grown := make([]byte, len(b), min(limit, max(need, 2*cap(b), 512)))
		copy(grown, b)
		b = grown
	}
	return append(b, p...)
}
