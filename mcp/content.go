package mcp

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Content is one block of the output of a tool or prompt: an object with a type and its members.
// The zero value is not a valid block.
type Content struct {
	json json.RawMessage
	text [][]byte // a text that is not encoded yet; nil: json is the block
}

// longText is the size from which a text is encoded only with its message.
const longText = 32 << 10

// Text returns a block of text. Bytes that are not valid UTF-8 become U+FFFD.
func Text(s string) Content {
	b := append(make([]byte, 0, len(s)+len(s)/16+32), `{"type":"text","text":`...)
	b, _ = json.AppendQuote(b, s)
	return Content{json: append(b, '}')}
}

// TextIn is Text for a text that comes in pieces. They must not be changed afterwards.
func TextIn(pieces ...[]byte) Content {
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	if size < longText {
		return Text(string(bytes.Join(pieces, nil)))
	}
	return Content{text: pieces}
}

// ContentOf returns a block from JSON that is known to be valid; use [ContentIn] for JSON of other
// authors.
func ContentOf(block json.RawMessage) Content { return Content{json: block} }

// JSON returns the block as JSON.
func (c Content) JSON() json.RawMessage {
	if c.text != nil {
		c = Text(string(bytes.Join(c.text, nil)))
	}
	return c.json
}

// MarshalJSON returns the block as JSON.
func (c Content) MarshalJSON() ([]byte, error) { return c.JSON(), nil }

// Apart returns the result with the long texts of its content replaced; see
// pipeline.LongTexts.
func (r *CallToolResult) Apart(mark func(text [][]byte) string) any {
	apart := *r
	for i, c := range r.Content {
		if c.text == nil {
			continue
		}
		if &apart.Content[0] == &r.Content[0] {
			apart.Content = slices.Clone(r.Content)
		}
		apart.Content[i] = Text(mark(c.text))
	}
	type plain CallToolResult // without this method
	return (*plain)(&apart)
}

// ContentIn returns a block of another author as revision r knows it: kinds that it does not know
// become text that describes them, and members that it does not know are left out (T-12). So are
// members that are null, and line breaks in base64. An error for content that no client could read,
// of any revision, is a [*BlockError] (T-24, T-25).
func ContentIn(written []byte, r *Revision) (Content, error) {
	b, err := readBlock(written)
	switch {
	case err != nil:
		return Content{}, err
	case b.kind == "audio" && !r.Audio:
		return Text(fmt.Sprintf("[audio, %s: this client's protocol revision has no audio]", b.mimeType)), nil
	case b.kind == "resource_link" && !r.ResourceLinks:
		return Text(fmt.Sprintf("%s: %s", b.name, b.uri)), nil
	}
	return Content{json: r.stripped(written)}, nil
}
