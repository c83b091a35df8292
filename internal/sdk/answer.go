package sdk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// An answer is what an operation returns to its helper.
type answer struct {
	kind  byte // see the constants
	code  int  // the exit status of the helper
	value string
}

// The kinds of answers.
const (
	output  = 'o' // the helper prints the value
	nothing = 'n' // the helper prints nothing
	failing = 'e' // the helper prints the value as a message on stderr
	fatal   = 'f' // the helper ends the tool with an error: its JSON, a newline, its message
	input   = 'i' // the helper must ask again with what it reads from stdin
)

// print is the answer that prints s.
func print(s string) answer { return answer{output, 0, s} }

// silent is the answer that prints nothing and returns code.
func silent(code int) answer { return answer{nothing, code, ""} }

// yes is the answer of a helper that tests something.
func yes(ok bool) answer {
	if ok {
		return silent(0)
	}
	return silent(1)
}

// helperError is the answer that prints on stderr what went wrong and returns code.
func helperError(code int, format string, args ...any) answer {
	return answer{failing, code, fmt.Sprintf(format, args...)}
}

const (
	maxInline = 400     // bytes of a value in a line: shells read lines byte by byte
	maxSized  = 3 << 10 // bytes of a value in a sized reply, which must fit into a pipe at once
	maxShort  = 4 << 10 // bytes of a file that bash reads faster than it forks
)

// A format is the form of a reply on the wire.
type format bool

const (
	asLine  format = false // it ends with the line
	asSized format = true  // it begins with its length
)

// A reply is an answer as it is sent: with its value, or with the name of a file that has it.
type reply struct {
	kind, how byte
	code      int
	value     string
}

// pack returns the reply for an answer. A value that is too long for the format, or not plain
// enough, goes into a file.
func (c *Channel) pack(a answer, f format) reply {
	if strings.Contains(a.value, "\x00") {
		a = helperError(1, "the value contains U+0000, which a shell cannot hold")
	}
	if f.fits(a.value) {
		return reply{a.kind, '-', a.code, a.value}
	}
	c.mu.Lock()
	name := c.name("out")
	c.keep(name, nil)
	c.mu.Unlock()
	how, content := byte('s'), a.value+"\x00"
	if len(a.value) > maxShort {
		how, content = 'l', a.value+"." // a shell drops newlines at the end of $(<file)
	}
	if err := files.Make(c.path(name), []byte(content), 0o600); err != nil {
		return reply{failing, '-', 1, "cannot write the answer: " + err.Error()}
	}
	return reply{a.kind, how, a.code, name}
}

// fits reports whether a value can be sent without a file.
func (f format) fits(value string) bool {
	return len(value) <= maxInline && isPlain(value) || f == asSized && len(value) <= maxSized && isCountable(value)
}

// isPlain reports whether a value can be the last field of a line that is split at spaces.
func isPlain(s string) bool {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	return !strings.ContainsFunc(s, isControl) && strings.Trim(s, " ") == s
}

// isCountable reports whether a value has as many characters as bytes in any locale, and no
// character that marks the beginning of a reply or that old shells change.
func isCountable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\n' && r != '\t' })
}

// mark begins a reply. No value contains it, so that a helper recognises the rest of a
// reply that another has read in part.
const mark = 0x1e

// encode returns the bytes of a reply to the request with the given number.
func (f format) encode(number string, r reply) []byte {
	b := make([]byte, 0, len(number)+len(r.value)+20)
	b = append(b, mark)
	if f == asSized {
		b = append(b, "0000"...)
	}
	start := len(b)
	b = append(b, number...)
	b = append(b, ' ', r.kind, ' ', r.how, ' ')
	b = strconv.AppendInt(b, int64(r.code), 10)
	b = append(b, ' ')
	b = append(b, r.value...)
	b = append(b, '\n')
	if f == asSized && isCountable(r.value) {
		for i, n := start-1, len(b)-start; n > 0; i, n = i-1, n/10 {
			b[i] = '0' + byte(n%10)
		}
	}
	return b
}
