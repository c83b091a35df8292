package sdk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// An answer is what an operation gives to its helper.
type answer struct {
	kind  byte // see the constants
	code  int  // the helper returns it
	value string
}

// The kinds of answers.
const (
	output  = 'o' // the helper prints the value
	nothing = 'n' // there is nothing to print
	failing = 'e' // the helper prints the value as a message on stderr
	fatal   = 'f' // the helper ends the tool with an error: its JSON, a newline, its message
	input   = 'i' // the helper must ask again with what it reads from stdin
)

// print is the answer that prints s.
func print(s string) answer { return answer{output, 0, s} }

// silent is the answer that prints nothing and returns code.
func silent(code int) answer { return answer{nothing, code, ""} }

// yes is the answer of a helper that is a question.
func yes(ok bool) answer {
	if ok {
		return silent(0)
	}
	return silent(1)
}

// trouble is the answer that says on stderr what went wrong and returns code.
func trouble(code int, format string, args ...any) answer {
	return answer{failing, code, fmt.Sprintf(format, args...)}
}

const (
	maxInline = 400     // bytes of a value in a reply: bash reads pipes byte by byte
	maxShort  = 4 << 10 // bytes of a file that bash reads faster than it forks
)

// encode makes the reply to a request. A value that is long or not plain goes into a file.
func (c *Channel) encode(number string, a answer) []byte {
	if strings.Contains(a.value, "\x00") {
		a = trouble(1, "the value contains U+0000, which a shell cannot hold")
	}
	if len(a.value) <= maxInline && isPlain(a.value) {
		return replyLine(number, a.kind, '-', a.code, a.value)
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
		return replyLine(number, failing, '-', 1, "cannot write the answer: "+err.Error())
	}
	return replyLine(number, a.kind, how, a.code, name)
}

// isPlain reports whether a value can stand at the end of a line that is split at blanks.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return s == "" || s[0] != ' ' && s[len(s)-1] != ' '
}

// replyLine is a reply on the wire. The record separator tells its beginning from the rest
// of a line that somebody else has read half: no value contains it.
func replyLine(number string, kind, how byte, code int, value string) []byte {
	b := make([]byte, 0, len(number)+len(value)+16)
	b = append(b, 0x1e)
	b = append(b, number...)
	b = append(b, ' ', kind, ' ', how, ' ')
	b = strconv.AppendInt(b, int64(code), 10)
	b = append(b, ' ')
	b = append(b, value...)
	return append(b, '\n')
}
