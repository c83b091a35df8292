package middleware_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleStateless() {
	levels := pipeline.Mux{"tools/list": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		terms := mcp.TermsOf(ctx, new(mcp.Session))
		return m.Answer(map[string]any{"revision": terms.Revision().Version, "log": terms.Level()})
	}}
	all := func(*mcp.Revision, string) bool { return true }
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Stateless(all)}, levels.Serve,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list",`+
			`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"error"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list",`+
			`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}}`)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"log":"info","revision":"2025-11-25"}}
	// {"jsonrpc":"2.0","id":2,"result":{"log":"error","revision":"2026-07-28"}}
	// {"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2027-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}
}

// claim returns a claim with the two required members and more.
func claim(more string) string {
	return meta(`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}` + more)
}

func meta(members string) string { return `{"_meta":{` + members + `}}` }

// claimed sends one call through the stage.
func claimed(t *testing.T, method, params string) string {
	t.Helper()
	got := pipetest.In(t, middleware.Stateless(knows), pipetest.OK, pipetest.Call(1, method, params))
	if len(got) != 1 {
		t.Fatalf("want one answer, got %q", got)
	}
	return got[0]
}

func TestACallWithItsMetadataNeedsNoSession(t *testing.T) {
	is := is.New(t)
	s := new(mcp.Session)
	stages := chain(middleware.Stateless(knows), middleware.Lifecycle(s, admission))
	list := func(id int) string { return pipetest.Call(id, "tools/list", "") }
	stateless := func(id int) string { return pipetest.Call(id, "tools/list", claim("")) }
	got := pipetest.Chain(t, stages, lifecycle(s).Serve,
		stateless(1), list(2), initialize, initialized, list(3), stateless(4), shutdown, stateless(5))
	is.Equal(got, []string{
		pong(1), notInitialized(2), pong("i"), // B-01
		pong(3), pong(4), // B-03
		pong("s"), refusal(5, -32603, "Server shutting down"), // with a code of that revision
	})
}

func TestAnIncompleteClaimIsRefused(t *testing.T) {
	const version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	const capabilities = `"io.modelcontextprotocol/clientCapabilities":{}`
	for name, test := range map[string]struct{ params, message string }{
		"no version": {meta(capabilities), "/_meta/io.modelcontextprotocol~1protocolVersion is missing"},
		"version no text": {meta(`"io.modelcontextprotocol/protocolVersion":5,` + capabilities),
			"protocolVersion has the wrong type"},
		"no capabilities": {meta(version), "clientCapabilities is missing"},
		"capabilities no map": {meta(version + `,"io.modelcontextprotocol/clientCapabilities":[]`),
			"clientCapabilities has the wrong type"},
		"capabilities null": {meta(version + `,"io.modelcontextprotocol/clientCapabilities":null`),
			"clientCapabilities has the wrong type"},
		"client without a name": {claim(`,"io.modelcontextprotocol/clientInfo":{}`),
			"clientInfo must have a name and a version"},
		"a level of none": {claim(`,"io.modelcontextprotocol/logLevel":"loud"`), "logLevel must be one of debug"},
		"a level no text": {claim(`,"io.modelcontextprotocol/logLevel":1`), "logLevel has the wrong type"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := claimed(t, "tools/list", test.params)
			is.True(strings.Contains(got, `"code":-32602`)) // N-01, N-03, LG-07
			is.True(strings.Contains(got, test.message))    // names the member
		})
	}
}

func TestAClaimMayLackOptionalMembersOrHaveMore(t *testing.T) {
	is := is.New(t)
	// N-02
	is.Equal(claimed(t, "tools/list", claim("")), pong(1))
	// J-19
	is.Equal(claimed(t, "tools/list", claim(`,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"x":1`)),
		pong(1))
	// escaped as by some encoders
	is.Equal(claimed(t, "tools/list", strings.ReplaceAll(claim(""), "/", `\/`)), pong(1))
}

func TestAnUnsupportedVersionIsRefusedWithTheSupportedOnes(t *testing.T) {
	for requested, supported := range map[string]string{
		"1900-01-01": `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`, // N-04
		"2027-01-01": `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`,
		"2025-11-25": `["2026-07-28"]`, // B-07: one of a session
	} {
		t.Run(requested, func(t *testing.T) {
			is := is.New(t)
			// N-05: even without capabilities
			got := claimed(t, "server/discover", meta(fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q`, requested)))
			is.Equal(got, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol `+
				`version","data":{"requested":%q,"supported":%s}}}`, requested, supported))
		})
	}
}

func TestMethodsThatWereRemovedAreNotFound(t *testing.T) {
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe",
		"resources/unsubscribe", "shutdown"} {
		t.Run(method, func(t *testing.T) {
			is := is.New(t)
			got := claimed(t, method, claim(""))
			is.True(strings.Contains(got, `"code":-32601`))                          // N-11
			is.True(strings.Contains(got, `"supported":["2026-07-28","2025-11-25"`)) // B-06
		})
	}
}

func TestDiscoverWithoutMetadataIsRefusedWithTheMissingMember(t *testing.T) {
	is := is.New(t)
	// it needs a claim, which names the revision
	is.Equal(claimed(t, "server/discover", ""),
		refusal(1, -32602, "invalid params: server/discover belongs to revision 2026-07-28: set "+
			"io.modelcontextprotocol/protocolVersion in params._meta"))
}

func TestErrorCodesAreTranslatedForTheRevision(t *testing.T) {
	for code, want := range map[int64]int64{mcp.CodeResourceNotFound: -32602, mcp.CodeBusy: -32603, -32042: -32603,
		-32050: -32603, -32099: -32603, -32100: -32100, -32021: -32603, 7: 7} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			is := is.New(t)
			fails := func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
				return nil, pipeline.Errorf(code, "no")
			}
			got := pipetest.In(t, middleware.Stateless(knows), fails, pipetest.Call(1, "x", claim("")),
				pipetest.Call(2, "x", ""))
			is.Equal(got, []string{refusal(1, int(want), "no"), refusal(2, int(code), "no")}) // N-14; a session keeps its codes
		})
	}
}

func TestNotificationsNeedNoMetadata(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, middleware.Stateless(knows), pipetest.OK, pipetest.Notification("server/discover", ""),
		pipetest.Notification("x", meta(`"io.modelcontextprotocol/protocolVersion":1`)))
	is.Equal(len(got), 0) // J-10
}

func TestACallOfThisRevisionIsRefusedInABatch(t *testing.T) {
	is := is.New(t)
	stages := chain(middleware.Batch(pipeline.MCP, func() bool { return true }), middleware.Stateless(knows))
	got := pipetest.Chain(t, stages, pipetest.OK, "["+pipetest.Call(1, "tools/list", claim(""))+","+ping(2)+"]")
	// J-27
	is.Equal(got, []string{refusal(1, -32600, "invalid request: calls of revision 2026-07-28 cannot be part of a batch"),
		pong(2)})
}
