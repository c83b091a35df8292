package watch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// A Screen is the terminal that a view is drawn on.
type Screen struct {
	W      io.Writer
	Size   func() (columns, lines int) // 0: unknown
	News   <-chan struct{}             // has a value when the size has changed
	Colour bool
	Title  string // of the first line, behind the time
	Empty  string // shown if there is no server
}

const (
	// enter switches to the alternate screen, so that the main screen is restored afterwards,
	// and hides the cursor.
	enter = "\x1b[?1049h\x1b[?25l"
	leave = "\x1b[?25h\x1b[?1049l"
	// A frame is drawn over the previous one, as a synchronized update if the terminal supports it.
	home, clearLine, clearBelow = "\x1b[?2026h\x1b[H", "\x1b[K", "\x1b[J\x1b[?2026l"
)

// Live draws the wanted servers of those that find returns, until ctx ends. Then the terminal is
// restored.
func Live(ctx context.Context, screen Screen, find func() []string, wanted func(status.Snapshot) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := io.WriteString(screen.W, enter); err != nil {
		return err
	}
	defer io.WriteString(screen.W, leave)
	news := make(chan update)
	seen := map[string]state{}
	running := map[string]bool{} // folders of the servers that are followed
	tick := time.NewTicker(status.Interval)
	defer tick.Stop()
	for {
		for _, folder := range find() {
			if !running[folder] {
				running[folder] = true
				go follow(ctx, folder, news)
			}
		}
		for looked := false; !looked; {
			if err := screen.draw(view(seen).Keep(wanted), time.Now()); err != nil {
				return err
			}
			select {
			case u := <-news:
				seen[u.folder] = u.state
				if u.ended {
					delete(running, u.folder)
				}
			case <-screen.News:
			case <-tick.C:
				looked = true
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// An update is news of one server.
type update struct {
	folder string
	state  state
	ended  bool // the server is not followed any more
}

// follow sends the snapshots of a server, until it ends.
func follow(ctx context.Context, folder string, news chan<- update) {
	send := func(u update) bool {
		select {
		case news <- u:
			return true
		case <-ctx.Done():
			return false
		}
	}
	err := status.Watch(folder, func(s status.Snapshot) bool {
		return send(update{folder: folder, state: state{snapshot: &s}})
	})
	send(update{folder, state{why: silence(err)}, true})
}

// draw draws one frame.
func (s Screen) draw(v View, now time.Time) error {
	columns, lines := s.Size()
	all := []row{{dim, fmt.Sprintf("%s · q ends · %s", clock(now), console.Plain(s.Title))}, {}}
	all = append(all, wrapped(rows(v), columns)...)
	if len(v.Servers)+len(v.Silent) == 0 {
		all = append(all, wrapped([]row{{plain, console.Plain(s.Empty)}}, columns)...)
	}
	if lines > 0 && len(all) > lines {
		left := len(all) - lines + 1
		all = append(all[:lines-1], row{dim, fmt.Sprintf("and %d more lines, for a taller window", left)})
	}
	var frame bytes.Buffer
	frame.WriteString(home)
	for i, r := range all {
		if i > 0 {
			frame.WriteString("\r\n")
		}
		text := r.text
		if columns > 0 {
			text = console.Cut(text, columns) // a word may be too long to wrap
		}
		if s.Colour && r.mark != plain {
			text = "\x1b[" + r.mark + "m" + text + "\x1b[0m"
		}
		frame.WriteString(text + clearLine)
	}
	frame.WriteString(clearBelow)
	_, err := s.W.Write(frame.Bytes())
	return err
}
