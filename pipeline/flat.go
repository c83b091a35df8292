package pipeline

// flat reads a message of the plainest shape, such as a ping: an object on one line without white
// space, whose values are whole numbers and ASCII strings without escapes. Most short messages of a
// stream are like that, and a decoder costs more than everything else that is done for them. It
// reports false for everything else, valid or not, which is left to the decoder.
func (e *envelope) flat(line []byte) bool {
	if len(line) < 2 || line[0] != '{' {
		return false
	}
	for rest := line[1:]; ; rest = rest[1:] {
		name := plainText(rest)
		if name == 0 || name == len(rest) || rest[name] != ':' {
			return false
		}
		value := rest[name+1:]
		n := plainText(value)
		if n == 0 {
			n = wholeNumber(value)
		}
		if n == 0 || n == len(value) {
			return false
		}
		if member := e.member(rest[1 : name-1]); member != nil {
			e.set(member, value[:n])
		}
		switch rest = value[n:]; {
		case rest[0] == '}':
			return len(rest) == 1
		case rest[0] != ',':
			return false
		}
	}
}

// plainText returns the length of the JSON string at the start of b, 0 if there is none or it is
// not plain.
func plainText(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ' || c > '~' || c == '\\':
			return 0
		}
	}
	return 0
}

// wholeNumber returns the length of the whole number at the start of b, 0 for none.
func wholeNumber(b []byte) int {
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	if n > 1 && b[0] == '0' {
		return 0
	}
	return n
}
