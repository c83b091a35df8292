package wrap

import (
	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Chain returns the settings of [middleware.Standard] in front of a server that somebody else wrote: those that the
// operator has chosen, with these limits.
func Chain(o operator.Settings, limits server.Limits, log *slog.Logger) middleware.Settings {
	dialect := pipeline.MCP
	dialect.Relayed = true
	chain := middleware.Settings{
		Dialect:    dialect,
		Log:        log,
		MaxMessage: limits.Message,
		Trip:       middleware.Trip{Never: true}, // many programs write a banner
		Token:      o.Options.Secret,
		Rates: middleware.Rates{
			Calls:    limits.Requests,
			Progress: limits.Progress,
			Logs:     limits.Logs,
			Counted:  func(method string) bool { return method != "ping" },
		},
	}
	if o.LogCalls {
		chain.Calls = log
	}
	return chain
}
