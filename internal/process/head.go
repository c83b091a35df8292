package process

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Head is a writer that keeps the first Limit bytes and counts all. Writing to it never fails,
// so a command that writes more is neither blocked nor ended. It grows as needed and never
// holds more than Limit bytes. It is not safe for concurrent use.
type Head struct {
	Limit int

	kept  []byte
	total int64
}

// Write keeps what fits and reports that all of p was written.
func (h *Head) Write(p []byte) (int, error) {
	h.total += int64(len(p))
	h.kept = appendWithin(h.kept, p[:max(0, min(len(p), h.Limit-len(h.kept)))], h.Limit)
	return len(p), nil
}

// Total returns the number of bytes written.
func (h *Head) Total() int64 { return h.total }

// Truncated reports whether more was written than kept.
func (h *Head) Truncated() bool { return h.total > int64(len(h.kept)) }

// Bytes returns what was kept. It is valid until the next Write and must not be changed.
func (h *Head) Bytes() []byte { return slices.Clip(h.kept) }

// First returns the first byte that is not white space, 0 if there is none.
func (h *Head) First() byte {
	if b := bytes.TrimLeft(h.kept, " \t\r\n\v\f"); len(b) > 0 {
		return b[0]
	}
	return 0
}

// Whole returns what was kept, as Bytes, without a character that the limit cut in two.
func (h *Head) Whole() []byte {
	if !h.Truncated() {
		return h.Bytes()
	}
	return slices.Clip(h.kept[:lastBorder(h.kept)])
}

// Text returns the same as Whole. Bytes that are not UTF-8 stay as they are.
func (h *Head) Text() string { return string(h.Whole()) }

// Plain removes what clients would show as garbage: a byte order mark at the beginning, and
// carriage returns. A carriage return without a newline, as in progress bars, becomes a line
// break. Nothing may be written afterwards.
func (h *Head) Plain() {
	whole := !h.Truncated()
	h.kept = withoutReturns(bytes.TrimPrefix(h.kept, []byte("\ufeff")))
	if whole {
		h.total = int64(len(h.kept)) // if it was cut, it must still count as truncated
	}
}

// withoutReturns takes the carriage returns out of b. It reuses the memory.
func withoutReturns(b []byte) []byte {
	at := bytes.IndexByte(b, '\r')
	if at < 0 {
		return b
	}
	kept := b[:at]
	for at < len(b) {
		rest := b[at+1:]
		if len(rest) > 0 && rest[0] != '\r' && rest[0] != '\n' {
			kept = append(kept, '\n')
		}
		end := bytes.IndexByte(rest, '\r')
		if end < 0 {
			end = len(rest)
		}
		kept = append(kept, rest[:end]...)
		at += 1 + end
	}
	return kept
}

// NotUTF8 returns the index and value of the first byte that is not part of a character in UTF-8.
// at is -1 if all that is kept is UTF-8, apart from a character that the limit has cut in two.
func (h *Head) NotUTF8() (at int, b byte) {
	text := h.Whole()
	if utf8.Valid(text) {
		return -1, 0
	}
	for {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at, text[at]
		}
		at += size
	}
}

// lastBorder returns the length of b without an incomplete character at its end.
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

// appendWithin appends p to b. The capacity grows fourfold, so that of a long output little is copied, but not
// beyond limit. Both together must not be longer than limit.
func appendWithin(b, p []byte, limit int) []byte {
	need := len(b) + len(p)
	if need > cap(b) {
		grown := make([]byte, len(b), min(limit, max(need, 4*cap(b), 512)))
		copy(grown, b)
		b = grown
	}
	return append(b, p...)
}

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
