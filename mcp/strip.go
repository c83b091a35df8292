package mcp

import (
	"bytes"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// members are the members of an object of another author.
type members map[string]json.Value

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
	return edited(block, func(name string, v json.Value) json.Value {
		switch {
		case v.Kind() == 'n', name == "icons" && !r.Icons, name == "_meta" && !r.Meta:
			return nil
		case name == "data":
			return unwrapped(v)
		case name == "resource":
			return json.Value(edited(json.RawMessage(v), func(name string, v json.Value) json.Value {
				switch {
				case v.Kind() == 'n', name == "_meta" && !r.Meta:
					return nil
				case name == "blob":
					return unwrapped(v)
				}
				return v
			}))
		case name == "annotations":
			return json.Value(edited(r.Annotated(json.RawMessage(v)), func(_ string, v json.Value) json.Value {
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
func unwrapped(v json.Value) json.Value {
	text, err := json.AppendUnquote(nil, v)
	if err != nil || !bytes.ContainsAny(text, "\r\n") {
		return v
	}
	whole, _ := json.AppendQuote(nil, lineBreaks.Replace(string(text)))
	return whole
}

// without returns an object without one of its members.
func without(object json.RawMessage, name string) json.RawMessage {
	return edited(object, func(n string, v json.Value) json.Value {
		if n == name {
			return nil
		}
		return v
	})
}

// edited returns an object with other values, in its original order; nil removes a member. It
// returns object unchanged if it is not an object or nothing changes.
func edited(object json.RawMessage, edit func(name string, v json.Value) json.Value) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(object), json.Lenient)
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
		plain, err := json.AppendUnquote(nil, name)
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
