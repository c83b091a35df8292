package process

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

var byteOrderMark = []byte("\ufeff")

// Plain removes what clients would show as garbage: a byte order mark at the beginning, and
// carriage returns. A carriage return without a newline, as in progress bars, becomes a line
// break. Nothing may be written afterwards.
func (h *Head) Plain() {
	if len(h.blocks) == 0 {
		return
	}
	before := h.size
	if rest, marked := bytes.CutPrefix(h.blocks[0], byteOrderMark); marked {
		h.blocks[0] = rest
		h.size -= len(byteOrderMark)
	}
	for i, b := range h.blocks {
		if at := bytes.IndexByte(b, '\r'); at >= 0 {
			h.blocks[i] = h.withoutReturns(i, at)
			h.size -= len(b) - len(h.blocks[i])
		}
	}
	if h.total == int64(before) {
		h.total = int64(h.size) // if it was cut, it must still count as truncated
	}
}

// withoutReturns returns block i without its carriage returns, the first of which is at index at. It
// reuses the memory.
func (h *Head) withoutReturns(i, at int) []byte {
	b := h.blocks[i]
	kept := b[:at]
	for at < len(b) {
		if next := h.after(i, at); next != 0 && next != '\r' && next != '\n' {
			kept = append(kept, '\n')
		}
		rest := b[at+1:]
		end := bytes.IndexByte(rest, '\r')
		if end < 0 {
			end = len(rest)
		}
		kept = append(kept, rest[:end]...)
		at += 1 + end
	}
	return kept
}

// after returns the byte that follows at in the block i, or in those after it; 0 at the end.
func (h *Head) after(i, at int) byte {
	if at+1 < len(h.blocks[i]) {
		return h.blocks[i][at+1]
	}
	for _, b := range h.blocks[i+1:] {
		if len(b) > 0 {
			return b[0]
		}
	}
	return 0
}

// NotUTF8 returns the index and value of the first byte that is not part of a character in UTF-8.
// at is -1 if all that is kept is UTF-8, apart from a character that the limit has cut in two.
func (h *Head) NotUTF8() (at int, b byte) {
	passed, half := 0, []byte(nil) // half is the beginning of a character at the end of a block
	for _, text := range h.Pieces() {
		if len(half) > 0 {
			text = slices.Concat(half, text)
		}
		whole := text[:lastBorder(text)]
		if at := firstNotUTF8(whole); at >= 0 {
			return passed + at, whole[at]
		}
		passed, half = passed+len(whole), text[len(whole):]
	}
	if len(half) > 0 {
		return passed, half[0]
	}
	return -1, 0
}

// firstNotUTF8 returns the index of the first byte of b that is not part of a character, -1 if
// there is none.
func firstNotUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
}
