package jq

// A token of a JSON text: one of []{}:, or scalar.
type token struct {
	kind  byte
	value any
	// open says that the token was ended by what follows it, as numbers are: an error
	// about it is then reported after that byte, as jq does.
	open bool
}

const (
	scalar          = 'v'
	recordSeparator = '\x1e' // of a JSON sequence
)

// next returns the next token, or io.EOF. As jq it takes what is not quite JSON: numbers
// such as 01, .5 and +1, and NaN.
func (s *source) next(seq bool) (token, error) {
	for s.more() {
		c := s.buf[s.pos]
		switch c {
		case '\n':
			s.pos++
			s.newline()
		case ' ', '\t', '\r':
			s.pos++
		case '[', ']', '{', '}', ':', ',':
			s.pos++
			return token{kind: c}, nil
		case '"':
			s.pos++
			text, err := s.text()
			return token{kind: scalar, value: text}, err
		default:
			switch {
			case c == 0xef && s.lines == 0 && s.pos == s.start:
				if err := s.skipBOM(); err != nil {
					return token{}, err
				}
				continue
			case c == recordSeparator && seq:
				s.pos++
				continue
			}
			v, err := s.literal()
			return token{kind: scalar, value: v, open: true}, err
		}
	}
	return token{}, s.err
}

// skipBOM skips the byte order mark at the start of a text.
func (s *source) skipBOM() error {
	for _, c := range []byte("\ufeff") {
		if !s.more() || s.buf[s.pos] != c {
			return s.fault("Malformed BOM")
		}
		s.pos++
	}
	s.start = s.pos
	return nil
}
