package watch

import (
	"context"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// Terminal is [Live] on a terminal, until the user presses q, ctrl-c or ctrl-d too. The screen's News and
// Size are those of the terminal.
func Terminal(ctx context.Context, in, out *os.File, s Screen, find func() []string,
	wanted func(status.Snapshot) bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	screen.Escapes(out)
	if term.IsTerminal(int(in.Fd())) {
		keys, restore, err := screen.Keys(in)
		if err != nil {
			return err
		}
		defer restore()
		go func() {
			for key := range keys {
				if strings.IndexByte("qQ", key) >= 0 || key == screen.CtrlC || key == screen.CtrlD {
					break
				}
			}
			stop() // also if the terminal's input has ended
		}()
	}
	news := make(chan struct{}, 1)
	defer screen.Resized(func() {
		select {
		case news <- struct{}{}:
		default: // a redraw is pending already, and reads the size
		}
	})()
	s.News = news
	s.Size = func() (columns, lines int) {
		columns, lines, err := term.GetSize(int(out.Fd()))
		if err != nil {
			return 0, 0
		}
		return columns, lines
	}
	return Live(ctx, s, find, wanted)
}
