package console

import (
	"strings"

	"github.com/rivo/uniseg"
)

// leastColumns is the narrowest width that text is fitted to: below it the terminal wraps lines.
const leastColumns = 20

// Fit breaks the lines of a text that are wider than columns, between words, and indents
// what follows by hang columns more than the line itself. The second part of a line with a
// gap, as in a table, stays in its column if there is room, or else begins a line. Words
// that are too long stay whole, so that they can be copied. With 0 columns, an unknown
// width, the text stays as it is.
func Fit(text string, columns, hang int) string {
	if columns <= 0 {
		return text
	}
	columns = max(columns, leastColumns)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if uniseg.StringWidth(strings.TrimRight(line, " ")) > columns {
			lines[i] = fitLine(line, columns, hang)
		}
	}
	return strings.Join(lines, "\n")
}

// roomBeside is how many columns the second part of a line needs beside the first one, on a
// terminal that has twice as many.
const roomBeside = 28

func fitLine(line string, columns, hang int) string {
	lead := len(line) - len(strings.TrimLeft(line, " "))
	left, right := parts(line)
	column := uniseg.StringWidth(line) - uniseg.StringWidth(right)
	switch {
	case right == "":
		return wrap(line[:lead], strings.Repeat(" ", lead+hang), line[lead:], columns)
	case columns-column >= min(roomBeside, columns/2):
		return wrap(left, strings.Repeat(" ", column), right, columns)
	}
	indent := strings.Repeat(" ", min(lead+4, columns-leastColumns))
	return Fit(strings.TrimRight(left, " "), columns, hang) + "\n" + wrap(indent, indent, right, columns)
}

// parts splits a line before what follows its last gap, which is of two blanks at least.
func parts(line string) (left, right string) {
	text := strings.TrimRight(line, " ")
	at := strings.LastIndex(text, "  ") + 2
	if at < 2 || strings.TrimSpace(text[:at]) == "" {
		return line, ""
	}
	return line[:at], line[at:]
}

// wrap breaks a text into lines; the first begins with first, the others with next.
func wrap(first, next, text string, columns int) string {
	var out strings.Builder
	out.WriteString(first)
	at := uniseg.StringWidth(first)
	words := strings.Fields(text)
	for i, word := range words {
		width := uniseg.StringWidth(word)
		switch {
		case i == 0:
		case at+1+width > columns:
			out.WriteString("\n" + next)
			at = uniseg.StringWidth(next)
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += width
	}
	out.WriteString(text[len(strings.TrimRight(text, " ")):]) // a prompt ends with a blank
	return out.String()
}

// Cut returns as much of a text as fits in columns, with an ellipsis for the rest.
func Cut(text string, columns int) string {
	if uniseg.StringWidth(text) <= columns {
		return text
	}
	if columns < 1 {
		return ""
	}
	var out strings.Builder
	state, left := -1, columns-1 // for the ellipsis
	for text != "" {
		cluster, rest, width, next := uniseg.FirstGraphemeClusterInString(text, state)
		if left -= width; left < 0 {
			break
		}
		out.WriteString(cluster)
		text, state = rest, next
	}
	return strings.TrimRight(out.String(), " ") + "…"
}
