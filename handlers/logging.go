package handlers

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Logging sends log messages to the client, from the level that it wants.
type Logging struct {
	Session *mcp.Session
	Log     *slog.Logger
}

// SetLevelParams are the params of logging/setLevel.
type SetLevelParams struct {
	Level mcp.Level `json:"level"`
	mcp.Params
}

// SetLevel answers logging/setLevel (LG-03).
func (g Logging) SetLevel(_ context.Context, p SetLevelParams) (mcp.Empty, error) {
	if !p.Level.Valid() {
		return mcp.Empty{}, fmt.Errorf("%w: level %q must be one of debug, info, notice, warning, error, critical, alert, "+
			"emergency", pipeline.ErrInvalidParams, p.Level)
	}
	g.Session.SetLevel(p.Level)
	return mcp.Empty{}, nil
}

// Tell sends notifications/message if the client wants that level (LG-04, LG-05, LG-06). ctx is the
// context of the message that caused it.
func (g Logging) Tell(ctx context.Context, p mcp.LogParams) {
	if !mcp.TermsOf(ctx, g.Session).Level().Covers(p.Level) {
		return
	}
	if err := pipeline.From(ctx).Notify(ctx, "notifications/message", p); err != nil {
		g.Log.Debug("log message not sent", "error", err)
	}
}

// Dropped reports to the client that notifications of a call were dropped by the rate limit.
func (g Logging) Dropped(ctx context.Context, method string, n int) {
	g.Tell(ctx, mcp.LogParams{
		Level:  mcp.Warning,
		Logger: "mcp.ratelimit",
		Data:   fmt.Sprintf("dropped %d %s of this call: too many in a minute", n, method),
	})
}
