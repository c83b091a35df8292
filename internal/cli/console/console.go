// Package console prints messages for people: what happened, in lower case, then a
// hint at what to do. If the writer is a terminal, marks are coloured, progress is
// shown and lines are wrapped; nothing else depends on that.
package console

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A Console prints messages for people. It must be used by one goroutine at a time.
type Console struct {
	w      io.Writer
	colour bool
	width  func() int // of a terminal, in columns; nil: lines stay as they are
	live   bool       // progress is shown
}

// New returns a console on w. With colour, marks are coloured: that is for
// terminals whose user has not set NO_COLOR. Lines are broken after [Console.Fit], progress
// is shown after [Console.Live].
func New(w io.Writer, colour bool) *Console { return &Console{w: w, colour: colour} }

// Fit breaks the lines of messages between words: c writes to a terminal, and width returns
// how many columns that has now; 0 is unknown. It returns c.
func (c *Console) Fit(width func() int) *Console {
	c.width = width
	return c
}

// columns returns how wide lines can be after an indentation; 0 means unlimited.
func (c *Console) columns(indent int) int {
	if c.width == nil {
		return 0
	}
	return max(c.width()-indent, 0)
}

// A paint is an ANSI colour.
type paint string

const (
	green  paint = "32"
	yellow paint = "33"
	red    paint = "31"
	dim    paint = "2"
)

// Say prints a message.
func (c *Console) Say(format string, args ...any) {
	fmt.Fprintln(c.w, Fit(Plain(fmt.Sprintf(format, args...)), c.columns(0), 2))
}

// Text writes a text unchanged: lines that people copy, such as those of a file, are not wrapped.
func (c *Console) Text(text string) { fmt.Fprintln(c.w, Plain(text)) }

// Ask asks for something and returns the line that is typed after the question, without blanks around
// it. ok is false at the end of the input.
func (c *Console) Ask(in *bufio.Reader, format string, args ...any) (answer string, ok bool) {
	fmt.Fprint(c.w, Fit(Plain(fmt.Sprintf(format, args...)), c.columns(0), 2))
	line, err := in.ReadString('\n')
	return strings.TrimSpace(line), err == nil || line != ""
}

// OK prints a success.
func (c *Console) OK(format string, args ...any) { c.marked(green, "✓", format, args) }

// Warn prints a warning: something works, but should be checked.
func (c *Console) Warn(format string, args ...any) { c.marked(yellow, "⚠", format, args) }

// Fail prints an error: something does not work.
func (c *Console) Fail(format string, args ...any) { c.marked(red, "✗", format, args) }

// Hint prints what to do about the previous message.
func (c *Console) Hint(format string, args ...any) {
	text := Fit(Plain(fmt.Sprintf(format, args...)), c.columns(2), 0)
	fmt.Fprintf(c.w, "  %s\n", c.painted(dim, strings.ReplaceAll(text, "\n", "\n  ")))
}

// JSON writes v for programs, indented.
func (c *Console) JSON(v any) error {
	e := json.NewEncoder(c.w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Diff writes a unified diff.
func (c *Console) Diff(text string) {
	for line := range strings.Lines(text) {
		line = Plain(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = c.painted(green, line)
		case strings.HasPrefix(line, "-"):
			line = c.painted(red, line)
		}
		fmt.Fprintln(c.w, line)
	}
}

// Plain returns a text without control characters: names and contents of files may
// come from strangers. Tabs and line ends are kept.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}

func (c *Console) marked(p paint, mark, format string, args []any) {
	text := Plain(fmt.Sprintf(format, args...))
	if fitted := Fit(text, c.columns(2), 0); fitted != text {
		text = strings.ReplaceAll(fitted, "\n", "\n  ")
	}
	fmt.Fprintf(c.w, "%s %s\n", c.painted(p, mark), text)
}

func (c *Console) painted(p paint, text string) string {
	if !c.colour {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}
