package server

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// gettingStarted is what a server without a project offers.
type gettingStarted struct {
	server *Server
	why    string
}

func (g gettingStarted) session(s *session) {
	log := g.server.log
	start := handlers.GettingStarted{Why: g.why}
	known := &roots.Roots{Ask: handlers.AskRoots(s.agreed), Log: log}
	offered := mcp.ServerCapabilities{Logging: &struct{}{}, Tools: &mcp.ListChanged{}}
	self := mcp.Implementation{Name: "mcp-bash", Title: "mcp-bash", Version: Version}
	f := &s.families
	f.Envelope = handlers.Envelope{Server: func() mcp.Implementation { return self }}
	f.Lifecycle = handlers.Lifecycle{
		Session: s.agreed,
		Offers:  offered,
		Server: func(bool) (mcp.Implementation, string) {
			return self, strings.TrimSpace(g.why + " The tool getting_started explains what to do.")
		},
		Log: log,
	}
	f.Roots = handlers.Roots{Known: known}
	f.Tools = handlers.Tools{
		Session: s.agreed,
		Catalog: start,
		Policy:  &hooks.Policy{},
		Roots:   known,
		Run:     start.Run,
		Rounds:  g.server.rounds,
		Logging: f.Logging,
	}
	f.Listens = &handlers.Listens{Offers: offered, Log: log}
}
