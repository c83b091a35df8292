package clients

import (
	"fmt"
	"strings"
)

// A SyntaxError reports a file that cannot be parsed.
type SyntaxError struct {
	Path         string // empty for a text
	Line, Column int    // from 1; Column 0 is unknown
	Reason       string
}

func (e *SyntaxError) Error() string {
	at := fmt.Sprintf("%s:%d", e.Path, e.Line)
	if e.Column > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Column)
	}
	return fmt.Sprintf("%s: %s; repair it first, nothing was written", strings.TrimPrefix(at, ":"), e.Reason)
}

// newlineOf returns how lines end in a text.
func newlineOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// startOfLine returns the start of the line that contains offset.
func startOfLine(text string, offset int) int {
	return strings.LastIndexByte(text[:offset], '\n') + 1
}

// endOfLine returns the start of the next line.
func endOfLine(text string, offset int) int {
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

// indentOf returns the blanks at the start of the line that contains offset.
func indentOf(text string, offset int) string {
	line := text[startOfLine(text, offset):]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

const blanks = " \t\r\n"
