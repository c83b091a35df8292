package main

import (
	"cmp"
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
)

// afterwards is for [server.Options.Begin]: what it returns is deferred until the first client has its first answer,
// so that no client waits for it. It takes as long as the rest of the start.
func (h *host) afterwards() (rest func(context.Context)) {
	sweep := claim(h.settings, h.state)
	return func(ctx context.Context) {
		serving.WhenUnread(h.out, func() { h.ending.Stop(serving.ErrUnread) })
		if shown, err := status.Listen(h.state.Path, h.board); err != nil {
			h.log.Debug("`mcp-bash watch` cannot show this server", "error", err)
		} else {
			h.ends = append(h.ends, func() { _ = shown.Close() }) // the server waits for this function when it is closed
		}
		sweep(ctx)
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
