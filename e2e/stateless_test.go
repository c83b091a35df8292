package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// These tests send lines of revision 2026-07-28, where the official client cannot send
// what is needed. docs/PROTOCOL.md lists the requirement that each of them tests.

// everything contains all capabilities that a client can declare.
const everything = `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// alone starts a server without a session: each call carries its revision and capabilities.
func alone(t *testing.T, project string, variables ...string) *server {
	cmd := command(t, "serve", "-C", project)
	cmd.Env = append(cmd.Env, variables...)
	return start(t, cmd)
}

// claimed returns the params of a call with its revision and capabilities in _meta.
// More are further members of _meta, each after a comma.
func claimed(params, capabilities string, more ...string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + strings.Join(more, "") + `}`
	if inner := strings.TrimSuffix(strings.TrimPrefix(params, "{"), "}"); inner != "" {
		return "{" + inner + "," + meta + "}"
	}
	return "{" + meta + "}"
}

func TestAClientThatProbesMayStillOpenASession(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, workshop)
	got := s.ask("server/discover", claimed("", "{}"))
	is.True(strings.Contains(got, `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`)) // D-01, D-02
	is.True(!strings.Contains(strings.Split(got, `"_meta"`)[0], "serverInfo"))                                               // D-03
	is.True(strings.Contains(s.ask("server/discover", claimed("", "{}")), `"ttlMs":0`))                                      // D-05, CA-01
	got = s.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}`)
	is.True(strings.Contains(got, `"protocolVersion":"2025-06-18"`)) // B-02
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	is.True(!strings.Contains(s.ask("tools/list", ""), "resultType"))                                         // B-03, B-05
	is.True(strings.Contains(s.ask("tools/list", claimed("", "{}")), `"resultType":"complete"`))              // N-08
	is.True(strings.Contains(s.ask("tools/list", claimed("", "{}")), `"io.modelcontextprotocol/serverInfo"`)) // N-09
}

func TestASessionAndCallsOfTheirOwnKnowNothingOfEachOther(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/nosy/tool.sh": nosy})
	s := open(t, project, "2025-11-25", `{"elicitation":{}}`)
	s.send(`{"jsonrpc":"2.0","id":"level","method":"logging/setLevel","params":{"level":"debug"}}`)
	s.until("level")
	s.send(`{"jsonrpc":"2.0","id":"own","method":"tools/call","params":` + claimed(`{"name":"nosy"}`, "{}", `,"progressToken":0`) + `}`)
	answer, before := s.until("own")
	is.True(strings.Contains(answer, "does not support it")) // B-08: the session can, this call cannot
	is.Equal(len(before), 1)                                 // N-06, LG-05: its progress, no log
	is.True(strings.Contains(before[0], `"progressToken":0`))
}

func TestLogMessagesAreSentAtTheLevelOfTheirCall(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/logs/tool.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
for level in debug info warning error; do mcp_log "$level" me "$level"; done
`})
	s := alone(t, project)
	for level, want := range map[string]int{"": 0, "debug": 4, "warning": 2, "emergency": 0} {
		more := ""
		if level != "" {
			more = `,"io.modelcontextprotocol/logLevel":"` + level + `"`
		}
		s.send(`{"jsonrpc":"2.0","id":"logs","method":"tools/call","params":` + claimed(`{"name":"logs"}`, "{}", more) + `}`)
		_, before := s.until("logs")
		is.Equal(len(before), want) // LG-05, LG-06
	}
}

func TestNothingIsSentForACallThatWasCancelled(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/slow/tool.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
mcp_progress 1 "on its way"
sleep 60
echo late >late
`})
	s := alone(t, project)
	s.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":` + claimed(`{"name":"slow"}`, "{}", `,"progressToken":1`) + `}`)
	s.recv("progress")
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"enough"}}`)
	answer, before := s.discover()
	is.Equal(len(before), 0)
	is.True(strings.Contains(answer, "complete"))
	s.in.Close()
	is.Equal(len(s.rest()), 0)
	_, err := os.Stat(filepath.Join(project, "late"))
	is.True(os.IsNotExist(err))
}

// discover sends a quick request, and returns its answer and the lines before it.
func (s *server) discover() (answer string, before []string) {
	s.send(`{"jsonrpc":"2.0","id":"discover","method":"server/discover","params":` + claimed("", "{}") + `}`)
	return s.until("discover")
}

func TestThisRevisionHasStructuredContentOfEveryKind(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{
		"tools/list/tool.sh":        "#!/bin/sh\necho '[1,2]'\n",
		"tools/list/tool.meta.json": `{"outputSchema":{"type":"array","items":{"type":"integer"}}}`,
	})
	s := open(t, project, "2025-11-25", "{}")
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"list"}`, "{}")), `"structuredContent":[1,2]`)) // T-11
	is.True(strings.Contains(s.ask("tools/list", claimed("", "{}")), "outputSchema"))
	is.True(!strings.Contains(s.ask("tools/call", `{"name":"list"}`), "structuredContent")) // T-10
	is.True(!strings.Contains(s.ask("tools/list", ""), "outputSchema"))
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"list","task":{"ttl":1}}`, "{}")), `"resultType":"complete"`)) // T-27
}

func TestWhatIsNotFoundHasTheCodeOfItsRevision(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := open(t, workshop, "2025-11-25", "{}")
	missing := s.ask("resources/read", claimed(`{"uri":"nosuch://x"}`, "{}"))
	is.True(strings.Contains(missing, `"code":-32602`) && strings.Contains(missing, `"data":{"uri":"nosuch://x"`))
	is.True(strings.Contains(s.ask("resources/read", `{"uri":"nosuch://x"}`), `"code":-32002`))
	for _, method := range []string{"subscriptions/listen", "tasks/get"} {
		is.True(strings.Contains(s.ask(method, "{}"), `"code":-32601`)) // a session does not know them
	}
	is.True(strings.Contains(s.ask("server/discover", "{}"), `"code":-32602`)) // it needs a claim, which names the revision
}
