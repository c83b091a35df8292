package screen

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// A Row is a line of a frame, with the ANSI attribute that it is drawn in; empty for none.
type Row struct{ Attribute, Text string }

// Live draws rows on the alternate screen of a terminal, anew each second and when the size changes, until ctx ends
// or the user presses q, ctrl-c or ctrl-d, which ends the context of rows, too. Then the terminal is as it was. The
// columns are 0 if they are unknown.
func Live(ctx context.Context, in, out *os.File, rows func(ctx context.Context, columns int) []Row) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	Escapes(out)
	if fd := int(in.Fd()); term.IsTerminal(fd) {
		before, err := term.MakeRaw(fd)
		if err != nil {
			return err
		}
		defer func() { _ = term.Restore(fd, before) }() // fails if the terminal is closed
		go func() {
			defer stop() // also if the terminal's input has ended
			for key := []byte{0}; !slices.Contains([]byte{'q', 'Q', ctrlC, ctrlD}, key[0]); {
				if n, err := in.Read(key); n == 0 || err != nil {
					return
				}
			}
		}()
	}
	if _, err := io.WriteString(out, "\x1b[?1049h\x1b[?25l"); err != nil {
		return err
	}
	defer io.WriteString(out, "\x1b[?25h\x1b[?1049l") // fails if the terminal is gone, which needs none
	resized := make(chan struct{}, 1)
	defer Resized(func() {
		select {
		case resized <- struct{}{}:
		default: // the next frame has the new size already
		}
	})()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		columns, lines, err := term.GetSize(int(out.Fd()))
		if err != nil {
			columns, lines = 0, 0
		}
		frame := rows(ctx, columns)
		if ctx.Err() != nil {
			return nil
		}
		if err := Draw(out, columns, lines, frame); err != nil {
			return err
		}
		select {
		case <-resized:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
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
