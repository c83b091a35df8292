package jq

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string after its opening quote.
func (s *source) text() (string, error) {
	raw := s.scratch[:0]
	defer func() { s.scratch = raw }()
	escapes, inEscape, control := false, false, false
	for s.more() {
		from := s.pos
		for s.pos < len(s.buf) {
			c := s.buf[s.pos]
			s.pos++
			switch {
			case c == '\n':
				control = true
				s.newline()
			case c < 0x20:
				control = true
			case inEscape:
				inEscape = false
			case c == '\\':
				escapes, inEscape = true, true
			case c == '"':
				raw = append(raw, s.buf[from:s.pos-1]...)
				if control {
					return "", s.fault("Invalid string: control characters from U+0000 through U+001F must be escaped")
				}
				if escapes {
					return s.unescape(raw)
				}
				return validUTF8(raw), nil
			}
		}
		raw = append(raw, s.buf[from:]...)
	}
	if err := s.failed(); err != nil {
		return "", err
	}
	return "", s.fault("Unfinished string at EOF")
}

// unescape replaces the escape sequences of a string.
func (s *source) unescape(raw []byte) (string, error) {
	out := raw[:0]
	for len(raw) > 0 {
		c := raw[0]
		raw = raw[1:]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		c, raw = raw[0], raw[1:]
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, n, err := utf16Escape(raw)
			if err != "" {
				return "", s.fault(err)
			}
			out, raw = utf8.AppendRune(out, r), raw[n:]
		default:
			return "", s.fault("Invalid escape")
		}
	}
	return validUTF8(out), nil
}

// utf16Escape reads what follows \u: four digits, or two times four for a surrogate pair.
func utf16Escape(b []byte) (r rune, n int, fault string) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0, `Invalid characters in \uXXXX escape`
	}
	if r < 0xd800 || r > 0xdbff {
		return r, 4, ""
	}
	if len(b) >= 10 && b[4] == '\\' && b[5] == 'u' {
		low, ok := hex4(b[6:])
		if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
			return r, 10, ""
		}
	}
	return 0, 0, `Invalid \uXXXX\uXXXX surrogate pair escape`
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}

// validUTF8 returns b as a string, with U+FFFD for each byte that is not UTF-8.
func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}
