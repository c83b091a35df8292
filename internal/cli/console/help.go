package console

import (
	"strings"

	"github.com/rivo/uniseg"
)

// FitHelp breaks the lines of a help text as [Fit] does, joins the lines of a paragraph
// first, and ends broken lines of examples, which are commands, with a backslash.
func FitHelp(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	columns = max(columns, leastColumns)
	text = strings.ReplaceAll(text, "\t", "    ")
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, reflow(paragraph, columns))
			paragraph = nil
		}
	}
	section := ""
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			section = line
			continue
		}
		flush()
		switch {
		case uniseg.StringWidth(line) <= columns:
		case section == "Examples:":
			line = fitCommand(line, columns)
		default:
			line = Fit(line, columns, 2)
		}
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// reflow wraps a paragraph anew if it is too wide.
func reflow(lines []string, columns int) string {
	for _, line := range lines {
		if uniseg.StringWidth(line) > columns {
			return wrap("", "", strings.Join(lines, " "), columns)
		}
	}
	return strings.Join(lines, "\n")
}

// fitCommand breaks a command between shell words.
func fitCommand(line string, columns int) string {
	text := strings.TrimLeft(line, " ")
	indent := strings.Repeat(" ", len(line)-len(text))
	var out strings.Builder
	at := 0
	for i, word := range shellWords(text) {
		width := uniseg.StringWidth(word)
		switch {
		case i == 0:
			out.WriteString(indent)
			at = len(indent)
		case at+1+width+len(` \`) > columns:
			out.WriteString(" \\\n  " + indent)
			at = len(indent) + 2
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += width
	}
	return out.String()
}

// shellWords splits a command at blanks that are not in quotes.
func shellWords(text string) (words []string) {
	var word strings.Builder
	quote := rune(0)
	for _, r := range text {
		switch {
		case quote == 0 && r == ' ':
			words = append(words, word.String())
			word.Reset()
			continue
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		}
		word.WriteRune(r)
	}
	return append(words, word.String())
}
