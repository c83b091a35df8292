package mcp

import (
	"bytes"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

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
	return json.Edit(block, func(m json.Member) json.Value {
		switch name, v := m.Name, m.Value; {
		case v.Kind() == 'n', name == "icons" && !r.Icons, name == "_meta" && !r.Meta:
			return nil
		case name == "data":
			return unwrapped(v)
		case name == "resource":
			return json.Edit(v, func(m json.Member) json.Value {
				switch name, v := m.Name, m.Value; {
				case v.Kind() == 'n', name == "_meta" && !r.Meta:
					return nil
				case name == "blob":
					return unwrapped(v)
				}
				return m.Value
			})
		case name == "annotations":
			return json.Edit(r.Annotated(json.RawMessage(v)), func(m json.Member) json.Value {
				if m.Value.Kind() == 'n' {
					return nil
				}
				return m.Value
			})
		}
		return m.Value
	})
}

var lineBreaks = strings.NewReplacer("\r", "", "\n", "")

// unwrapped returns a JSON string without line breaks, as the command base64 writes them.
func unwrapped(v json.Value) json.Value {
	text := json.Text(v)
	if !strings.ContainsAny(text, "\r\n") {
		return v
	}
	return json.Quote(lineBreaks.Replace(text))
}

// without returns an object without one of its members.
func without(object json.RawMessage, name string) json.RawMessage {
	return json.Edit(object, func(m json.Member) json.Value {
		if m.Name == name {
			return nil
		}
		return m.Value
	})
}
