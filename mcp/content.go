package mcp

import (
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
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

// ContentIn returns a block as revision r knows it: kinds that it does not know
// become text that says what they were, and members that it does not know are
// left out (T-12). It reports false for what is no block of any revision (T-24,
// T-25).
func ContentIn(block []byte, r *Revision) (Content, bool) {
	var b struct {
		Type     string         `json:"type"`
		Text     *string        `json:"text"`
		Data     *string        `json:"data"`
		MimeType string         `json:"mimeType"`
		URI      string         `json:"uri"`
		Name     string         `json:"name"`
		Resource jsontext.Value `json:"resource"`
	}
	if jsonv2.Unmarshal(block, &b, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return nil, false
	}
	switch b.Type {
	case "text":
		return r.stripped(block), b.Text != nil
	case "image":
		return r.stripped(block), b.Data != nil && b.MimeType != ""
	case "audio":
		if !r.Audio {
			return Text(fmt.Sprintf("[audio, %s: this client's protocol revision has no audio]", b.MimeType)), b.Data != nil
		}
		return r.stripped(block), b.Data != nil && b.MimeType != ""
	case "resource":
		return r.stripped(block), b.Resource.Kind() == '{'
	case "resource_link":
		if !r.ResourceLinks {
			return Text(fmt.Sprintf("%s: %s", b.Name, b.URI)), b.URI != ""
		}
		return r.stripped(block), b.URI != "" && b.Name != ""
	}
	return nil, false
}
