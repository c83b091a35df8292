// Package console is how commands talk to people: what happened, in lower case,
// then a hint at what to do. Marks are coloured and progress is shown where the
// writer is a terminal; nothing else depends on that.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A Console writes for people. It is for one goroutine.
type Console struct {
	w      io.Writer
	colour bool
	width  func() int // of a terminal on which progress is shown; nil: there is none
}

// New returns a console on w. With colour, marks are coloured: that is for
// terminals whose user has not set NO_COLOR. Progress is shown after [Console.Live].
func New(w io.Writer, colour bool) *Console { return &Console{w: w, colour: colour} }

// A paint is an ANSI colour.
type paint string

const (
	green  paint = "32"
	yellow paint = "33"
	red    paint = "31"
	dim    paint = "2"
)

// Say tells what happened.
func (c *Console) Say(format string, args ...any) {
	fmt.Fprintln(c.w, Plain(fmt.Sprintf(format, args...)))
}

// Prompt asks for something; the answer is typed behind it.
func (c *Console) Prompt(format string, args ...any) {
	fmt.Fprint(c.w, Plain(fmt.Sprintf(format, args...)))
}

// OK tells that something is as it should be.
func (c *Console) OK(format string, args ...any) { c.marked(green, "✓", format, args) }

// Warn tells of something that works but should be looked at.
func (c *Console) Warn(format string, args ...any) { c.marked(yellow, "⚠", format, args) }

// Fail tells of something that does not work.
func (c *Console) Fail(format string, args ...any) { c.marked(red, "✗", format, args) }

// Hint tells what to do about what was said before.
func (c *Console) Hint(format string, args ...any) {
	text := strings.ReplaceAll(Plain(fmt.Sprintf(format, args...)), "\n", "\n  ")
	fmt.Fprintf(c.w, "  %s\n", c.painted(dim, text))
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

// Plain returns a text without what steers terminals: names of files, and what
// they say, may come from strangers. Tabs and ends of lines stay.
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
	fmt.Fprintf(c.w, "%s %s\n", c.painted(p, mark), Plain(fmt.Sprintf(format, args...)))
}

func (c *Console) painted(p paint, text string) string {
	if !c.colour {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}
