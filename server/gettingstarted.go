package server

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// gettingStarted fills in what a server without a project offers.
func (s *Server) gettingStarted(sess *session) {
	log := s.log
	start := handlers.GettingStarted{Why: s.why}
	known := &roots.Roots{Ask: handlers.AskRoots(sess.agreed), Log: log}
	offered := mcp.ServerCapabilities{Logging: &struct{}{}, Tools: &mcp.ListChanged{}}
	self := mcp.Implementation{Name: "mcp-bash", Title: "mcp-bash", Version: Version}
	f := &sess.families
	f.Envelope = handlers.Envelope{Server: func() mcp.Implementation { return self }}
	f.Lifecycle = handlers.Lifecycle{
		Session: sess.agreed,
		Offers:  offered,
		Server: func(bool) (mcp.Implementation, string) {
			return self, strings.TrimSpace(s.why + " The tool getting_started explains what to do.")
		},
		Log: log,
	}
	f.Roots = handlers.Roots{Known: known}
	f.Tools = handlers.Tools{
		Session: sess.agreed,
		Catalog: start,
		Policy:  &hooks.Policy{},
		Roots:   known,
		Run:     start.Run,
		Rounds:  s.rounds,
		Logging: f.Logging,
	}
	f.Listens = &handlers.Listens{Offers: offered, Log: log}
}
