package screen

import (
	"fmt"
	"io"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// A Row is a line of a frame, with the ANSI attribute that it is drawn in; empty for none.
type Row struct{ Attribute, Text string }

// Alternate switches to the alternate screen without a cursor, until leave is called, which restores the main one.
func Alternate(w io.Writer) (leave func(), err error) {
	_, err = io.WriteString(w, "\x1b[?1049h\x1b[?25l")
	return func() { _, _ = io.WriteString(w, "\x1b[?25h\x1b[?1049l") }, err // a terminal that is gone needs none
}

// Draw draws a frame over the previous one, as a synchronized update if the terminal supports it. Rows that are too
// wide are cut, and those that there is no room for are counted, with the attribute of the first; 0 columns or lines
// are unknown.
func Draw(w io.Writer, columns, lines int, rows []Row) error {
	if lines > 0 && len(rows) > lines {
		left := fmt.Sprintf("and %d more lines, for a taller window", len(rows)-lines+1)
		rows = append(rows[:lines-1:lines-1], Row{rows[0].Attribute, left})
	}
	var all []string
	for _, r := range rows {
		if columns > 0 {
			r.Text = console.Cut(r.Text, columns)
		}
		if r.Attribute != "" {
			r.Text = "\x1b[" + r.Attribute + "m" + r.Text + "\x1b[0m"
		}
		all = append(all, r.Text+"\x1b[K")
	}
	_, err := io.WriteString(w, "\x1b[?2026h\x1b[H"+strings.Join(all, "\r\n")+"\x1b[J\x1b[?2026l")
	return err
}
