package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Content is one block of what a tool or prompt says, as JSON: an object with a
// type and what belongs to it.
type Content = json.RawMessage

// Text returns a block of text. Bytes that are no UTF-8 become U+FFFD.
func Text(s string) Content {
	b := append(make([]byte, 0, len(s)+len(s)/16+32), `{"type":"text","text":`...)
	b, _ = jsontext.AppendQuote(b, s)
	return append(b, '}')
}

// ContentIn returns a block that somebody else has written as revision r knows it:
// kinds that it does not know become text that says what they were, and members
// that it does not know are left out (T-12). So are members that are null, and line
// breaks in base64. What clients of no revision can read is a [*BlockError] (T-24,
// T-25).
func ContentIn(written []byte, r *Revision) (Content, error) {
	b, err := readBlock(written)
	switch {
	case err != nil:
		return nil, err
	case b.kind == "audio" && !r.Audio:
		return Text(fmt.Sprintf("[audio, %s: this client's protocol revision has no audio]", b.mimeType)), nil
	case b.kind == "resource_link" && !r.ResourceLinks:
		return Text(fmt.Sprintf("%s: %s", b.name, b.uri)), nil
	}
	return r.stripped(written), nil
}
