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

	shown *status.Listener // nil if it is not
}

func (a *deferredWork) begin(ctx context.Context) {
	serving.WhenUnread(a.out, a.unread)
	var err error
	if a.shown, err = status.Listen(a.state.Path, a.board); err != nil {
		a.log.Debug("`mcp-bash watch` cannot show this server", "error", err)
	}
	tidy(ctx, a.settings, a.state)
}

// end removes what begin has made and the end of the process does not. Call it after begin has returned.
func (a *deferredWork) end() {
	if a.shown != nil {
		a.shown.Leave()
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
