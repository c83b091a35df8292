package providers

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// A Content is one item of the result of resources/read. As JSON it has the shape of the protocol;
// exactly one of Text and Blob is not nil.
type Content struct {
	URI      string          `json:"uri"`
	MimeType string          `json:"mimeType,omitzero"`
	Text     *string         `json:"text,omitzero"`
	Blob     []byte          `json:"blob,omitzero"` // base64 on the wire
	Meta     json.RawMessage `json:"_meta,omitzero"`
}

// NewContent returns bytes as text if they are UTF-8 without a NUL, so that nothing is lost, else
// as a blob.
func NewContent(uri, mimeType string, b []byte) Content {
	c := Content{URI: uri, MimeType: mimeType}
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		text := string(b)
		c.Text = &text
	} else {
		c.Blob = b
	}
	return c
}
