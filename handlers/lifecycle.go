package handlers

import (
	"context"
	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// Lifecycle opens and closes the session. The stage of the same name decides when each of its
// methods may be called, and shares the session.
type Lifecycle struct {
	Session *mcp.Session
	// Offers is the capabilities of the server.
	Offers mcp.ServerCapabilities
	// Server returns the server's identity and its instructions for models, as the files are now.
	// With looked it waits a moment for the first look at the project; the handshake passes false,
	// as waiting would delay it.
	Server func(looked bool) (mcp.Implementation, string)
	// Ready is called once, when the client has confirmed the session. Nil: nothing
	// is called.
	Ready func()
	Log   *slog.Logger
}

// Initialize answers initialize: it negotiates the revision and returns the server's capabilities
// (L-01 to L-04). Params may leave out any member, as in scripts that pipe "params":{}; then the
// newest revision applies. Without any params it is not a call of this method.
func (l Lifecycle) Initialize(_ context.Context, p mcp.InitializeParams) (mcp.InitializeResult, error) {
	revision := mcp.Latest()
	if p.ProtocolVersion != nil {
		revision = mcp.Negotiate(*p.ProtocolVersion)
	}
	var client mcp.ClientCapabilities
	if p.Capabilities != nil {
		client = *p.Capabilities
	}
	if p.ClientInfo != nil {
		l.Log.Debug("client", "name", p.ClientInfo.Name, "version", p.ClientInfo.Version, "revision", revision.Version)
	}
	l.Session.Open(revision, client)
	server, instructions := l.Server(false)
	return mcp.InitializeResult{
		ProtocolVersion: revision.Version,
		Capabilities:    l.Offers.For(client, revision),
		ServerInfo:      server.In(revision),
		Instructions:    instructions,
	}, nil
}

// Discover answers server/discover with what a client of a stateless revision needs before its
// first call (D-01). It waits for a moment at most, so it answers at once (D-05).
func (l Lifecycle) Discover(ctx context.Context, _ noParams) (mcp.DiscoverResult, error) {
	terms := mcp.TermsOf(ctx, l.Session)
	_, instructions := l.Server(true)
	return mcp.DiscoverResult{
		SupportedVersions: mcp.Versions(),
		Capabilities:      l.Offers.For(terms.Client(), terms.Revision()),
		Instructions:      instructions,
	}, nil
}

// Initialized handles notifications/initialized: the client is ready from now on.
func (l Lifecycle) Initialized(context.Context, noParams) (mcp.Empty, error) {
	if l.Session.Confirm() && l.Ready != nil {
		l.Ready()
	}
	return mcp.Empty{}, nil
}

// Shutdown answers shutdown, which is not part of MCP but is sent by older clients.
func (l Lifecycle) Shutdown(context.Context, noParams) (mcp.Empty, error) {
	l.Session.Close()
	return mcp.Empty{}, nil
}
