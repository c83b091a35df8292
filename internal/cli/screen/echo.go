package screen

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// A typed is the line in the line editor of golang.org/x/term. The editor counts each
// character as one column and lets lines wrap, which fails for wide characters. So it
// writes to this line, which is endless and has single columns, and we draw that.
type typed struct {
	runes []rune
	at    int // of the cursor
}

// echo applies the editor's output, and reports whether the line was entered. Each write is complete:
// text, moves of the cursor, and line ends.
func (l *typed) echo(b []byte) (entered bool) {
	text := string(b)
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' })
			if end < 0 {
				return entered
			}
			l.steer(rest[:end], rest[end])
			text = rest[end+1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch r {
		case '\r':
			l.at = 0
		case '\n':
			entered = true
		default:
			l.put(r)
		}
	}
	return entered
}

func (l *typed) steer(count string, command byte) {
	n, err := strconv.Atoi(count)
	if err != nil {
		n = 1
	}
	switch command {
	case 'C':
		l.at += n
	case 'D':
		l.at = max(0, l.at-n)
	case 'K':
		l.runes = l.runes[:min(l.at, len(l.runes))]
	case 'H': // the screen is cleared, and the line is written again
		l.runes, l.at = nil, 0
	}
}

func (l *typed) put(r rune) {
	for len(l.runes) <= l.at {
		l.runes = append(l.runes, ' ')
	}
	l.runes[l.at] = r
	l.at++
}

// String returns the line without the blanks with which the editor overwrites removed text.
func (l *typed) String() string { return strings.TrimRight(string(l.runes), " ") }

// row returns the visible part of the line after a prompt, and the column of the cursor: the whole
// line if it fits, otherwise the part that ends with the cursor.
func (l *typed) row(prompt string, columns int) (row string, cursor int) {
	at := min(l.at, len(l.runes))
	before, after := string(l.runes[:at]), string(l.runes[at:])
	if l.at > at {
		before += strings.Repeat(" ", l.at-at)
	}
	prompt = console.Cut(prompt, columns/2)
	room := max(columns-uniseg.StringWidth(prompt)-1, 1)
	if uniseg.StringWidth(before) > room {
		before = "…" + lastColumns(before, room-1)
	}
	row = prompt + before
	cursor = uniseg.StringWidth(row)
	return row + console.Cut(strings.TrimRight(after, " "), columns-cursor), cursor
}

// lastColumns returns the end of a text that fits in columns.
func lastColumns(text string, columns int) string {
	width := uniseg.StringWidth(text)
	state := -1
	for width > columns && text != "" {
		var cluster int
		_, text, cluster, state = uniseg.FirstGraphemeClusterInString(text, state)
		width -= cluster
	}
	return text
}
