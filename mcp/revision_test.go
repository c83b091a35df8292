package mcp_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestANewStatelessRevisionIsOneRow(t *testing.T) {
	is := is.New(t)
	mcp.Publish(t, &mcp.Revision{Version: "2027-07-28", Stateless: true, Completions: true, Titles: true})
	var session mcp.Session
	methods := handlers.Table(handlers.Families{
		Envelope: handlers.Envelope{Server: func() mcp.Implementation { return mcp.Implementation{Name: "probe", Version: "1"} }},
		Lifecycle: handlers.Lifecycle{
			Session: &session,
			Server:  func(bool) (mcp.Implementation, string) { return mcp.Implementation{Name: "probe", Version: "1"}, "" },
			Log:     slog.New(slog.DiscardHandler),
		},
	})
	methods.Add(handlers.Method{Name: "revision", Handle: func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(mcp.TermsOf(ctx, &session).Revision().Version)
	}})
	claim := func(version string) string {
		return `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{}}}`
	}
	stages := []pipeline.Middleware{middleware.Stateless(methods.Knows), middleware.Lifecycle(&session, middleware.Admission{Early: methods.Early, Knows: methods.Knows})}
	got := pipetest.Chain(t, stages, methods.Serve,
		pipetest.Call(1, "revision", claim("2027-07-28")),
		pipetest.Call(2, "revision", claim("2026-07-28")),
		pipetest.Call(3, "ping", claim("2027-07-28")),
		pipetest.Call(4, "revision", claim("2025-11-25")),
		pipetest.Call(5, "server/discover", claim("2027-07-28")),
		pipetest.Call(6, "initialize", `{"protocolVersion":"2027-07-28"}`))
	const versions = `["2027-07-28","2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`
	slices.Sort(got) // by their ids, since long reads may be overtaken
	is.Equal(got, []string{
		`{"jsonrpc":"2.0","id":1,"result":"2027-07-28"}`,
		`{"jsonrpc":"2.0","id":2,"result":"2026-07-28"}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found: ping is not part of 2027-07-28","data":{"supported":` + versions + `}}}`,
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2025-11-25","supported":["2027-07-28","2026-07-28"]}}}`,
		`{"jsonrpc":"2.0","id":5,"result":{"supportedVersions":` + versions + `,"capabilities":{},` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1"}},"resultType":"complete","ttlMs":0,"cacheScope":"public"}}`,
		`{"jsonrpc":"2.0","id":6,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"probe","version":"1"}}}`, // it does not open a session
	})
}
