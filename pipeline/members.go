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
	m, _ := json.Find(object, name)
	return json.RawMessage(m.Value)
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
	if value == nil {
		value = json.RawMessage("null")
	}
	encoded, _, err := appendJSON(nil, value)
	if err != nil {
		return nil, err
	}
	out, ok := json.Set(object, name, encoded)
	if !ok {
		return nil, fmt.Errorf("set member %q: not a JSON object", name)
	}
	return out, nil
}
