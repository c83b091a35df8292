package pipeline

import "fmt"

// kept stands in for the messages that a stage sends later.
var kept = new(Message)

// describe returns a short name of a message, for people.
func (m *Message) describe() string {
	var name string
	switch {
	case m == kept:
		return "delayed messages"
	case m.kind == Call:
		name = m.method
	case m.kind == Notification:
		name = "notification " + m.method
	default:
		name = "a " + m.kind.String()
		if m.kind == Malformed {
			name += " message"
		}
	}
	if m.id.IsZero() {
		return name
	}
	return fmt.Sprintf("%s (id %v)", name, m.id)
}
