package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// members are those of an object that somebody else has written.
type members map[string]jsontext.Value

// trim takes from an item of a list what r does not know in any of them.
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

// Annotated returns the annotations of content, a resource or a template as r
// knows them: older revisions have no lastModified.
func (r *Revision) Annotated(annotations json.RawMessage) json.RawMessage {
	if r.LastModified || annotations == nil {
		return annotations
	}
	return without(annotations, "lastModified")
}

// stripped is a block of content without the members that r does not know.
func (r *Revision) stripped(block Content) Content {
	if r.Meta && r.LastModified && r.Icons {
		return block
	}
	return edited(block, func(name string, v jsontext.Value) jsontext.Value {
		switch {
		case name == "icons" && !r.Icons, name == "_meta" && !r.Meta:
			return nil
		case name == "resource" && !r.Meta:
			return jsontext.Value(without(json.RawMessage(v), "_meta"))
		case name == "annotations":
			return jsontext.Value(r.Annotated(json.RawMessage(v)))
		}
		return v
	})
}

// without is an object without one of its members.
func without(object json.RawMessage, name string) json.RawMessage {
	return edited(object, func(n string, v jsontext.Value) jsontext.Value {
		if n == name {
			return nil
		}
		return v
	})
}

// edited is an object with other values, in the order in which it was written;
// nil takes a member away. What is no object stays as it is, as does one of which
// nothing changes.
func edited(object json.RawMessage, edit func(name string, v jsontext.Value) jsontext.Value) json.RawMessage {
	d := jsontext.NewDecoder(bytes.NewReader(object), lenient)
	if d.PeekKind() != '{' {
		return object
	}
	_, _ = d.ReadToken() // it is there
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
