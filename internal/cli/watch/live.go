package watch

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
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

// Live draws the wanted servers of those that find returns, until ctx ends. Then the terminal is
// restored.
func Live(ctx context.Context, on Screen, find func() []string, wanted func(status.Snapshot) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	leave, err := screen.Alternate(on.W)
	if err != nil {
		return err
	}
	defer leave()
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
			if err := on.draw(view(seen).Keep(wanted), time.Now()); err != nil {
				return err
			}
			select {
			case u := <-news:
				seen[u.folder] = u.state
				if u.ended {
					delete(running, u.folder)
				}
			case <-on.News:
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
	all := []screen.Row{{Attribute: dim, Text: fmt.Sprintf("%s · q ends · %s", clock(now), console.Plain(s.Title))}, {}}
	all = append(all, wrapped(rows(v), columns)...)
	if len(v.Servers)+len(v.Silent) == 0 {
		all = append(all, wrapped([]screen.Row{{Attribute: plain, Text: console.Plain(s.Empty)}}, columns)...)
	}
	for i := range all {
		if !s.Colour {
			all[i].Attribute = plain
		}
	}
	return screen.Draw(s.W, columns, lines, all)
}
