package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// members are the members of an object of another author.
type members map[string]jsontext.Value

// trim removes the members that r does not know from an item of a list.
func (r *Revision) trim(title *string, icons, meta *json.RawMessage) {
	if !r.Titles {
		*title = ""
	}
	if !r.Icons {
		*icons = nil
	}
	if !r.Meta {
		*meta = nil
	}
}

// Annotated returns the annotations of content, a resource or a template as r knows them: older
// revisions have no lastModified.
func (r *Revision) Annotated(annotations json.RawMessage) json.RawMessage {
	if r.LastModified || annotations == nil {
		return annotations
	}
	return without(annotations, "lastModified")
}

// stripped returns a block of content without the members that r does not know, and without what
// some clients refuse although it means nothing: members that are null, and line breaks in base64.
func (r *Revision) stripped(block json.RawMessage) json.RawMessage {
	if r.Meta && r.LastModified && r.Icons && !bytes.Contains(block, []byte("null")) && bytes.IndexByte(block, '\\') < 0 {
		return block
	}
	return edited(block, func(name string, v jsontext.Value) jsontext.Value {
		switch {
		case v.Kind() == 'n', name == "icons" && !r.Icons, name == "_meta" && !r.Meta:
			return nil
		case name == "data":
			return unwrapped(v)
		case name == "resource":
			return jsontext.Value(edited(json.RawMessage(v), func(name string, v jsontext.Value) jsontext.Value {
				switch {
				case v.Kind() == 'n', name == "_meta" && !r.Meta:
					return nil
				case name == "blob":
					return unwrapped(v)
				}
				return v
			}))
		case name == "annotations":
			return jsontext.Value(edited(r.Annotated(json.RawMessage(v)), func(_ string, v jsontext.Value) jsontext.Value {
				if v.Kind() == 'n' {
					return nil
				}
				return v
			}))
		}
		return v
	})
}

var lineBreaks = strings.NewReplacer("\r", "", "\n", "")

// unwrapped returns a JSON string without line breaks, as the command base64 writes them.
func unwrapped(v jsontext.Value) jsontext.Value {
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil || !bytes.ContainsAny(text, "\r\n") {
		return v
	}
	whole, _ := jsontext.AppendQuote(nil, lineBreaks.Replace(string(text)))
	return whole
}

// without returns an object without one of its members.
func without(object json.RawMessage, name string) json.RawMessage {
	return edited(object, func(n string, v jsontext.Value) jsontext.Value {
		if n == name {
			return nil
		}
		return v
	})
}

// edited returns an object with other values, in its original order; nil removes a member. It
// returns object unchanged if it is not an object or nothing changes.
func edited(object json.RawMessage, edit func(name string, v jsontext.Value) jsontext.Value) json.RawMessage {
	d := jsontext.NewDecoder(bytes.NewReader(object), lenient)
	if d.PeekKind() != '{' {
		return object
	}
	_, _ = d.ReadToken() // the opening brace
	out, changed := []byte{'{'}, false
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return object
		}
		name = name.Clone()
		value, err := d.ReadValue()
		if err != nil {
			return object
		}
		plain, err := jsontext.AppendUnquote(nil, name)
		if err != nil {
			return object
		}
		now := edit(string(plain), value)
		changed = changed || !bytes.Equal(now, value)
		if now == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), now...)
	}
	if !changed {
		return object
	}
	return append(out, '}')
}
