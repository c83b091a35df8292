package pipeline

import "bytes"

var lineEnd, paragraphEnd = []byte("\u2028"), []byte("\u2029")

// EscapeSeparators returns m with U+2028 and U+2029 as \u2028 and \u2029, which mean the same: to
// JSON they are characters like others, to many readers of lines they end one. It returns m itself
// if it has none. The JSON in m must be valid, so that they are in strings only.
func (m *Message) EscapeSeparators() *Message {
	if !separated(m.line) && !(m.apart > 0 && separated(m.value)) {
		return m
	}
	line := bytes.ReplaceAll(m.Line(), lineEnd, []byte(`\u2028`))
	return Parse(bytes.ReplaceAll(line, paragraphEnd, []byte(`\u2029`)))
}

// separated reports whether b contains U+2028 or U+2029. Most lines do not even have the byte that both begin
// with. Curly quotes and dashes share two bytes with them, so a search for these would stop often.
func separated(b []byte) bool {
	return bytes.IndexByte(b, lineEnd[0]) >= 0 && (bytes.Contains(b, lineEnd) || bytes.Contains(b, paragraphEnd))
}
