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

// begin is for [server.Options.Begin].
func (a *deferredWork) begin() (rest func(context.Context)) {
	sweep := claim(a.settings, a.state)
	return func(ctx context.Context) {
		serving.WhenUnread(a.out, a.unread)
		var err error
		if a.shown, err = status.Listen(a.state.Path, a.board); err != nil {
			a.log.Debug("`mcp-bash watch` cannot show this server", "error", err)
		}
		sweep(ctx)
	}
}

// end removes what begin has made and the end of the process does not. Call it after the server is closed.
func (a *deferredWork) end() {
	if a.shown != nil {
		a.shown.Leave()
	}
}

// claim lets later servers remove the private folder of this one if it is killed, and returns a function
// that does this for the folders of others. It comes before anything is put in the folder.
func claim(s operator.Settings, state *statedir.Dir) (sweep func(context.Context)) {
	if !s.PreserveState {
		state.Claim()
	}
	return func(ctx context.Context) { statedir.Sweep(ctx, cmp.Or(s.StateParent, s.Temp)) }
}
