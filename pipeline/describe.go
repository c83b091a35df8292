package pipeline

import "fmt"

// describe names a message for people; nil is what was delayed.
func (m *Message) describe() string {
	var name string
	switch {
	case m == nil:
		return "what was kept for later"
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
