package jq

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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

// literal reads a number, true, false or null.
func (s *source) literal() (any, error) {
	word := s.scratch[:0]
	for s.more() {
		i := s.pos
		for i < len(s.buf) && !endsLiteral(s.buf[i]) {
			i++
		}
		word = append(word, s.buf[s.pos:i]...)
		s.pos = i
		if i < len(s.buf) {
			break
		}
	}
	s.scratch = word
	switch string(word) {
	case "null":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if v, ok := number(string(word)); ok {
		return v, nil
	}
	if word[0] == 't' || word[0] == 'f' || word[0] == 'n' {
		return nil, s.faultAfter("Invalid literal")
	}
	return nil, s.faultAfter("Invalid numeric literal")
}

func endsLiteral(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '[', ']', '{', '}', ':', ',', '"', recordSeparator:
		return true
	}
	return false
}

// number reads a number. One in the grammar of JSON is kept as it is written.
func number(word string) (any, bool) {
	if isJSONNumber(word) {
		return json.Number(word), true
	}
	for _, c := range []byte(word) {
		// Go would take 0x10, 1_0 and p exponents.
		if c == 'x' || c == 'X' || c == '_' || c == 'p' || c == 'P' {
			return nil, false
		}
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		if word == "-nan" || word == "-NaN" {
			return math.NaN(), true
		}
		return nil, false
	}
	return f, true
}

func isJSONNumber(s string) bool {
	digits := func() bool {
		n := len(s)
		for s != "" && '0' <= s[0] && s[0] <= '9' {
			s = s[1:]
		}
		return len(s) < n
	}
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	if len(s) > 1 && s[0] == '0' && '0' <= s[1] && s[1] <= '9' || !digits() {
		return false
	}
	if s != "" && s[0] == '.' {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && s[0]|0x20 == 'e' {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}

// text reads a string after its opening quote.
func (s *source) text() (string, error) {
	raw := s.scratch[:0]
	defer func() { s.scratch = raw }()
	escaped, control := false, false
	for s.more() {
		from := s.pos
		for s.pos < len(s.buf) {
			c := s.buf[s.pos]
			s.pos++
			switch {
			case c == '"':
				raw = append(raw, s.buf[from:s.pos-1]...)
				switch {
				case control:
					return "", s.fault("Invalid string: control characters from U+0000 through U+001F must be escaped")
				case escaped:
					return s.unescape(raw)
				}
				return validUTF8(raw), nil
			case c == '\\':
				escaped = true
				raw = append(raw, s.buf[from:s.pos]...)
				if !s.more() {
					return "", s.unfinished()
				}
				from = s.pos
				s.pos++ // whatever it is, it does not end the string
				control = control || s.buf[from] < 0x20
			case c < 0x20:
				control = true
				if c == '\n' {
					s.newline()
				}
			}
		}
		raw = append(raw, s.buf[from:]...)
	}
	return "", s.unfinished()
}

func (s *source) unfinished() error {
	if err := s.failed(); err != nil {
		return err
	}
	return s.fault("Unfinished string at EOF")
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
