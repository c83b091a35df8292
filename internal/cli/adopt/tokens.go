package adopt

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a token of a script in Python, JavaScript, Ruby or Perl. Comments and blanks are left out.
type token struct {
	kind tokenKind
	text string // of a string, its value
	line int    // from 1
	open bool   // an f-string with placeholders
}

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenString
	tokenNumber
	tokenSign // any other single character
)

// tokens splits a text into tokens. What it cannot read becomes signs. Comments begin with # or //.
func tokens(text, comment string) []token {
	var all []token
	line := 1
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n':
			line++
			i++
		case comment == "//" && strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				return all
			}
			line += strings.Count(text[i:i+end], "\n")
			i += end + len("*/")
		case strings.HasPrefix(text[i:], comment) && (i == 0 || text[i-1] != '$'): // $#ARGV
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return all
			}
			i += end
		case unicode.IsSpace(r):
			i += size
		case r == '"' || r == '\'' || r == '`' && comment == "//":
			t, n := quotedString(text[i:], "")
			t.line = line
			line += strings.Count(text[i:i+n], "\n")
			all = append(all, t)
			i += n
		case r == '_' || unicode.IsLetter(r):
			name := leading(text[i:], func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
			end := i + len(name)
			if end < len(text) && (text[end] == '"' || text[end] == '\'') && len(name) <= 2 &&
				strings.Trim(strings.ToLower(name), "rbfut") == "" {
				t, n := quotedString(text[end:], strings.ToLower(name))
				t.line = line
				line += strings.Count(text[end:end+n], "\n")
				all = append(all, t)
				i = end + n
				continue
			}
			if name == "qw" && end < len(text) {
				open, size := utf8.DecodeRuneInString(text[end:])
				n := strings.IndexRune(text[end+size:], closer(open))
				if n > 0 && !unicode.IsSpace(open) && open != '=' && open != ',' {
					for _, word := range strings.Fields(text[end+size : end+size+n]) {
						all = append(all, token{kind: tokenString, text: word, line: line}, token{kind: tokenSign, text: ",", line: line})
					}
					line += strings.Count(text[i:end+size+n], "\n")
					i = end + 2*size + n
					continue
				}
			}
			all = append(all, token{kind: tokenName, text: name, line: line})
			i = end
		case r >= '0' && r <= '9':
			number := leading(text[i:], func(r rune) bool { return strings.ContainsRune(nameLetters+".", r) && r != '-' })
			all = append(all, token{kind: tokenNumber, text: strings.ReplaceAll(number, "_", ""), line: line})
			i += len(number)
		default:
			all = append(all, token{kind: tokenSign, text: text[i : i+size], line: line})
			i += size
		}
	}
	return all
}

// leading returns the longest beginning of a text whose characters are all of a kind.
func leading(text string, kind func(rune) bool) string {
	return text[:len(text)-len(strings.TrimLeftFunc(text, kind))]
}

// closer returns what ends a list of words of Perl that begins with open.
func closer(open rune) rune {
	if i := strings.IndexRune("([{<", open); i >= 0 {
		return rune(")]}>"[i])
	}
	return open
}

// quotedString reads a string from its opening quote, and returns its length in the text.
func quotedString(text, prefix string) (t token, n int) {
	t = token{kind: tokenString}
	quote := text[:1]
	if quote != "`" && strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	raw := strings.Contains(prefix, "r")
	var b strings.Builder
	i := len(quote)
	for i < len(text) && !strings.HasPrefix(text[i:], quote) {
		switch c := text[i]; {
		case c == '\n' && len(quote) == 1 && quote != "`": // the string has no end
			t.text = b.String()
			return t, i
		case c == '\\' && i+1 < len(text) && !raw:
			i += escaped(text[i:], &b)
		case c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i += 2
		default:
			if c == '{' && strings.Contains(prefix, "f") {
				t.open = true
			}
			b.WriteByte(c)
			i++
		}
	}
	t.text = b.String()
	return t, min(i+len(quote), len(text))
}

// escaped writes the character of an escape sequence, and returns the length of the sequence.
func escaped(text string, b *strings.Builder) (n int) {
	switch r, _, rest, err := strconv.UnquoteChar(text, text[1]); {
	case text[1] == '\n':
	case err == nil:
		b.WriteRune(r)
		return len(text) - len(rest)
	default:
		b.WriteString(text[:2])
	}
	return 2
}
