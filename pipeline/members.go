package pipeline

import (
	"bytes"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// WithParams returns the call or notification m with other params, as for [NewNotification];
// everything else stays.
func (m *Message) WithParams(params any) (*Message, error) {
	if m.kind != Call && m.kind != Notification {
		return nil, fmt.Errorf("%w: %s has no params", ErrInternal, m.describe())
	}
	return newRequest(m.id, m.method, params)
}

// WithResult returns the response m with another result, as for [Message.Answer]. An error response
// becomes a success.
func (m *Message) WithResult(result any) (*Message, error) { return m.Answer(result) }

// Member returns the value of a member of a JSON object as it was written, nil if there is none or
// object is not an object.
func Member(object json.RawMessage, name string) json.RawMessage {
	if len(object) == 0 {
		return nil // most short messages have no params: save them the decoder
	}
	from, to, _ := findMember(object, name)
	if to == 0 {
		return nil
	}
	return object[from:to:to]
}

// SetMember returns a JSON object with a member set to value, which is any value that encodes as
// JSON: in its place, or at the end if it is new. All other members stay as they were written. Of
// duplicate members the last counts. Empty input means {}.
//
//	result, err := pipeline.SetMember(answer.Result(), "_meta", meta)
func SetMember(object json.RawMessage, name string, value any) (json.RawMessage, error) {
	if len(bytes.TrimSpace(object)) == 0 {
		object = json.RawMessage("{}")
	}
	from, to, end := findMember(object, name)
	if end == 0 {
		return nil, fmt.Errorf("set member %q: not a JSON object", name)
	}
	out := bytes.Clone(object[:from])
	if to == 0 {
		out = append(out, object[:end]...)
		if last := bytes.TrimRight(out, " \t\r\n"); last[len(last)-1] != '{' {
			out = append(out, ',')
		}
		out, _ = json.AppendQuote(out, name)
		out, to = append(out, ':'), end
	}
	if value == nil {
		value = json.RawMessage("null")
	}
	out, _, err := appendJSON(out, value)
	return append(out, object[to:]...), err
}

// findMember returns the position of the value of a member, zeros if there is none, and that of the
// closing brace of the object, 0 if it is not an object.
func findMember(object []byte, name string) (from, to, end int) {
	dec := json.NewDecoder(bytes.NewReader(object), json.Lenient)
	if dec.PeekKind() != '{' {
		return 0, 0, 0
	}
	dec.ReadToken()
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return 0, 0, 0
		}
		wanted := key.String() == name
		value, err := dec.ReadValue()
		if err != nil {
			return 0, 0, 0
		}
		if wanted {
			to = int(dec.InputOffset())
			from = to - len(value)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return 0, 0, 0
	}
	return from, to, int(dec.InputOffset()) - 1
}
