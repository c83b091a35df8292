package pipeline

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// LongTexts are results and params that contain long texts. They are encoded into the line of the
// message itself, so that a text is copied only once.
type LongTexts interface {
	// Apart returns the value to encode instead: the same, with the result of mark in the place of
	// each long text. A text may come in pieces, which must not change until it is encoded.
	Apart(mark func(text [][]byte) string) any
}

// A stub is the placeholder of a text until the rest is encoded.
type stub struct {
	mark string
	text [][]byte
}

// appendApart appends a value to line, with its long texts in their places. room is the number of
// bytes to leave free behind it.
func appendApart(line []byte, v LongTexts, room int) (_ []byte, encoded bool, err error) {
	var stubs []stub
	rest := v.Apart(func(text [][]byte) string {
		stubs = append(stubs, stub{rand.Text(), text})
		return stubs[len(stubs)-1].mark
	})
	if len(stubs) == 0 {
		return marshal(line, rest)
	}
	var frame bytes.Buffer
	if err := json.MarshalWrite(&frame, rest, encoding); err != nil {
		return line, false, err
	}
	size := len(line) + frame.Len() + room
	for _, s := range stubs {
		size += quoted(s.text)
	}
	line = append(make([]byte, 0, size), line...)
	left := frame.Bytes()
	for _, s := range stubs {
		before, after, found := bytes.Cut(left, []byte(`"`+s.mark+`"`))
		if !found {
			return line, false, fmt.Errorf("%w: an encoded text is missing from its value", ErrInternal)
		}
		line = appendQuoted(append(line, before...), s.text)
		left = after
	}
	return append(line, left...), utf8.Valid(frame.Bytes()), nil
}

// marshal appends the encoded value to line.
func marshal(line []byte, v any) (_ []byte, encoded bool, err error) {
	w := bytes.NewBuffer(line)
	if err := json.MarshalWrite(w, v, encoding); err != nil {
		return line, false, err
	}
	out := w.Bytes()
	return out, utf8.Valid(out[len(line):]), nil
}
