package main

import (
	"cmp"
	"context"
	"log/slog"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
)

// deferredWork is work that a server defers until its first client has its first answer, so that no
// client waits for it. It takes as long as the rest of the start.
type deferredWork struct {
	settings operator.Settings
	state    *statedir.Dir
	board    *status.Board
	out      *os.File
	unread   func() // called when nobody reads out any more
	log      *slog.Logger

	ends []func()
}

func (a *deferredWork) begin(ctx context.Context) {
	a.ends = append(a.ends, serving.WhenUnread(a.out, a.unread))
	shown, err := status.Listen(a.state.Path, a.board)
	if err == nil {
		a.ends = append(a.ends, func() { shown.Close() })
	} else {
		a.log.Debug("`mcp-bash watch` cannot show this server", "error", err)
	}
	tidy(ctx, a.settings, a.state)
}

// end stops what begin has started. Call it after begin has returned.
func (a *deferredWork) end() {
	for _, end := range a.ends {
		end()
	}
}

// tidy removes the private folders of servers that were killed, and lets later servers remove this
// server's folder if it is killed too.
func tidy(ctx context.Context, s operator.Settings, state *statedir.Dir) {
	if !s.PreserveState {
		state.Claim()
	}
	statedir.Sweep(ctx, cmp.Or(s.StateParent, s.Temp))
}
