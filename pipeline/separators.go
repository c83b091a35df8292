package pipeline

import "bytes"

// EscapeSeparators returns m with U+2028 and U+2029 as \u2028 and \u2029, which mean the same: to
// JSON they are characters like others, to many readers of lines they end one. It returns m itself
// if it has none. The JSON in m must be valid, so that they are in strings only.
func (m *Message) EscapeSeparators() *Message {
	if !separated(m.line) && !(m.apart > 0 && separated(m.value)) {
		return m
	}
	line := bytes.ReplaceAll(m.Line(), []byte("\u2028"), []byte(`\u2028`))
	return Parse(bytes.ReplaceAll(line, []byte("\u2029"), []byte(`\u2029`)))
}

// separated reports whether b contains U+2028 or U+2029, in one pass.
func separated(b []byte) bool {
	const common = "\xe2\x80" // their first two bytes
	for {
		at := bytes.Index(b, []byte(common))
		if at < 0 {
			return false
		}
		b = b[at+len(common):]
		if len(b) > 0 && (b[0] == 0xa8 || b[0] == 0xa9) {
			return true
		}
	}
}
