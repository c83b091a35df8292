package jq

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// literal reads a number, true, false or null.
func (s *source) literal() (any, error) {
	word := s.scratch[:0]
	for s.more() {
		i := s.pos
		if len(word) == 0 {
			i++ // whatever it is, it begins the word
		}
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
	if strings.ContainsAny(word, "xXpP_") { // which Go would take
		return nil, false
	}
	f, err := strconv.ParseFloat(word, 64)
	switch {
	case err == nil, errors.Is(err, strconv.ErrRange):
		return f, true
	case strings.EqualFold(word, "-nan"):
		return math.NaN(), true
	}
	return nil, false
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
