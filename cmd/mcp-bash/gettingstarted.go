package main

import (
	"context"
	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/policy"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// gettingStarted is the offer of a server without a project, and why it has
// none.
func gettingStarted(ctx context.Context, settings settings, log *slog.Logger, why string) offer {
	session := &mcp.Session{}
	start := handlers.GettingStarted{Why: why}
	known := &roots.Roots{Ask: handlers.AskRoots(session), Log: log}
	logging := handlers.Logging{Session: session, Log: log}
	rounds := newRounds(ctx, settings, log)
	rounds.Tasks = nil // they are not offered
	offers := mcp.ServerCapabilities{Logging: &struct{}{}, Tools: &mcp.ListChanged{}}
	self := mcp.Implementation{Name: "mcp-bash", Title: "mcp-bash", Version: version}
	server := func() (mcp.Implementation, string) {
		return self, why + " The tool getting_started says what to do."
	}
	return offer{
		families: handlers.Families{
			Envelope:  handlers.Envelope{Server: func() mcp.Implementation { return self }},
			Lifecycle: handlers.Lifecycle{Session: session, Offers: offers, Server: server, Log: log},
			Logging:   logging,
			Roots:     handlers.Roots{Known: known},
			Tools:     handlers.Tools{Session: session, Catalog: start, Policy: &policy.Policy{}, Roots: known, Run: start.Run, Rounds: rounds, Logging: logging},
			Listens:   &handlers.Listens{Offers: offers, Log: log},
		},
		background: nothing,
	}
}
