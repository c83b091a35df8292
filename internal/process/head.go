package process

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Head is a writer that keeps the first Limit bytes and counts all. Writing to it never fails,
// so a command that writes more is neither blocked nor ended. It grows as needed and never
// holds more than Limit bytes; a long output is kept in blocks, so that growing copies little
// and leaves little garbage. It is not safe for concurrent use.
type Head struct {
	Limit int

	blocks [][]byte
	size   int // of all blocks
	total  int64
}

// An output that does not fit into one small block continues in blocks of largeBlock.
const (
	smallBlock = 64 << 10
	largeBlock = 256 << 10
)

// Write keeps what fits and reports that all of p was written.
func (h *Head) Write(p []byte) (int, error) {
	n := len(p)
	h.total += int64(n)
	p = p[:max(0, min(n, h.Limit-h.size))]
	for len(p) > 0 {
		room := h.grow(len(p))
		k := copy(room, p)
		h.extend(k)
		p = p[k:]
	}
	return n, nil
}

// Room returns a buffer for the next bytes of a long output, which saves a copy; nil if
// Write is just as good. Call Took with the number of bytes that were put there.
func (h *Head) Room() []byte {
	if h.size < smallBlock || h.size >= h.Limit {
		return nil
	}
	return h.grow(1)
}

// Took adds the n bytes that were put into the buffer of Room.
func (h *Head) Took(n int) {
	h.total += int64(n)
	h.extend(n)
}

// extend adds n bytes that are already stored after the end of the last block.
func (h *Head) extend(n int) {
	last := &h.blocks[len(h.blocks)-1]
	*last = (*last)[:len(*last)+n]
	h.size += n
}

// grow returns the free space at the end: n bytes if they fit into a block and the limit, and
// at least one byte.
func (h *Head) grow(n int) []byte {
	left := h.Limit - h.size
	if len(h.blocks) == 0 {
		h.blocks = append(h.blocks, nil)
	}
	last := &h.blocks[len(h.blocks)-1]
	if used := len(*last); used == cap(*last) || used+n > cap(*last) && h.size < smallBlock {
		if h.size >= smallBlock {
			h.blocks = append(h.blocks, make([]byte, 0, min(largeBlock, left)))
			last = &h.blocks[len(h.blocks)-1]
		} else {
			size := min(max(used+n, 2*cap(*last), 512), smallBlock, used+left)
			*last = append(make([]byte, 0, size), *last...)
		}
	}
	free := (*last)[len(*last):cap(*last)]
	return free[:min(len(free), left)]
}

// Total returns the number of bytes written.
func (h *Head) Total() int64 { return h.total }

// Truncated reports whether more was written than kept.
func (h *Head) Truncated() bool { return h.total > int64(h.size) }

// Bytes returns what was kept, in one piece. It is valid until the next Write and must not
// be changed.
func (h *Head) Bytes() []byte {
	switch len(h.blocks) {
	case 0:
		return nil
	case 1:
	default:
		h.blocks = [][]byte{bytes.Join(h.blocks, nil)}
	}
	return slices.Clip(h.blocks[0])
}

// First returns the first byte that is not white space, 0 if there is none.
func (h *Head) First() byte {
	for _, b := range h.blocks {
		if b = bytes.TrimLeft(b, " \t\r\n\v\f"); len(b) > 0 {
			return b[0]
		}
	}
	return 0
}

// Pieces returns the same as Text in several pieces, without copying. They must not be
// changed, and nothing may be written afterwards.
func (h *Head) Pieces() [][]byte {
	drop := h.half()
	pieces := slices.Clone(h.blocks)
	for i := len(pieces) - 1; drop > 0; i-- {
		n := min(drop, len(pieces[i]))
		pieces[i] = pieces[i][:len(pieces[i])-n]
		drop -= n
	}
	return pieces
}

// Text returns what was kept. A character that the limit cut in two is left out; bytes that
// are not UTF-8 stay as they are.
func (h *Head) Text() string { return string(bytes.Join(h.Pieces(), nil)) }

// half returns how many bytes at the end belong to a character that the limit cut in two.
func (h *Head) half() int {
	if !h.Truncated() {
		return 0
	}
	var end []byte
	for _, b := range slices.Backward(h.blocks) {
		end = slices.Concat(b[max(0, len(b)-utf8.UTFMax):], end)
		if len(end) >= utf8.UTFMax {
			break
		}
	}
	return len(end) - lastBorder(end)
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

// appendWithin appends p to b, doubling the capacity as append does, but not beyond limit.
// Both together must not be longer than limit.
func appendWithin(b, p []byte, limit int) []byte {
	need := len(b) + len(p)
	if need > cap(b) {
		grown := make([]byte, len(b), min(limit, max(need, 2*cap(b), 512)))
		copy(grown, b)
		b = grown
	}
	return append(b, p...)
}
