package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// These tests check rows of docs/PROTOCOL.md with the binary: the messages on the wire are
// strictly valid even if the client or a script is careless.

func TestMethodsThatThisRevisionDoesNotHaveAreNotFoundAndOpenNothing(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, workshop)
	for _, method := range []string{
		"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/list", "tasks/result", // N-11
		"notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed", "notifications/none", "foo/bar", "", // J-11
	} {
		params := `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}`
		is.True(strings.HasPrefix(s.ask(method, claimed(params, "{}")), `"error":{"code":-32601,`))
		is.Equal(s.ask("tools/list", ""), `"error":{"code":-32000,"message":"Server not initialized"}`) // B-08: no session came of it
	}
}

func TestNoCodeOfAScriptLeavesThatTheRevisionDoesNotDefine(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/fails/tool.sh": `#!/bin/sh
printf %s "$MCP_TOOL_ARGS_JSON" >"$MCP_TOOL_ERROR_FILE"
`})
	s := open(t, project, "2025-11-25", "{}")
	for code, want := range map[int]int{
		-32000: -32603, -32002: -32602, -32019: -32603, -32020: -32603, -32021: -32603, -32022: -32603, -32023: -32603,
		-32042: -32603, -32050: -32603, -32099: -32603, -32100: -32100, -32602: -32602, -1: -1, 7: 7,
	} {
		got := s.ask("tools/call", claimed(fmt.Sprintf(`{"name":"fails","arguments":{"code":%d,"message":"no","data":{"k":1}}}`, code), "{}"))
		is.Equal(got, fmt.Sprintf(`"error":{"code":%d,"message":"no","data":{"k":1}}`, want)) // N-14
	}
	is.Equal(s.ask("tools/call", `{"name":"fails","arguments":{"code":-32050,"message":"no"}}`), `"error":{"code":-32050,"message":"no"}`) // as the tool wrote it
}

func TestAShutdownOutsideOfASessionEndsNothingForCallsOfTheirOwn(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/slow/tool.sh": "#!/bin/sh\nsleep 2\necho done\n"})
	s := alone(t, project, "MCPBASH_SHUTDOWN_TIMEOUT=1")
	is.Equal(s.ask("shutdown", ""), `"result":{}`)
	is.True(strings.HasPrefix(s.ask("tools/list", ""), `"error":{"code":-32003,`))
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"slow"}`, "{}")), `"text":"done\n"`)) // longer than the server lives after a shutdown
	is.True(strings.HasPrefix(s.ask("server/discover", claimed("", "{}")), `"result":{`))
}

func TestWrongArgumentsAreAResultInEveryRevision(t *testing.T) {
	t.Parallel()
	project := newProject(t, map[string]string{
		"tools/strict/tool.sh":        "#!/bin/sh\necho started\n",
		"tools/strict/tool.meta.json": `{"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`,
	})
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		is := is.New(t)
		params := `{"name":"strict","arguments":{"n":"one"}}`
		var got string
		if version == "2026-07-28" {
			got = alone(t, project).ask("tools/call", claimed(params, "{}"))
		} else {
			got = open(t, project, version, "{}").ask("tools/call", params)
		}
		is.True(strings.HasPrefix(got, `"result":{`) && strings.Contains(got, `"isError":true`)) // T-05
		is.True(strings.Contains(got, "at /n: expected integer"))
		is.True(!strings.Contains(got, "started"))
	}
}

func TestASlowCallHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{
		"tools/slow/tool.sh":  "#!/bin/sh\nuntil [ -e go ]; do sleep 0.05; done\necho slow\n",
		"tools/quick/tool.sh": "#!/bin/sh\necho quick\n",
	})
	s := open(t, project, "2025-11-25", "{}")
	s.send(`{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow"}}`)
	for _, next := range []string{"ping", "tools/list", "tools/call"} {
		s.send(`{"jsonrpc":"2.0","id":"next","method":"` + next + `","params":{"name":"quick"}}`)
		answer, before := s.until("next")
		is.True(strings.Contains(answer, `"result":{`))
		is.Equal(len(before), 0) // J-25
	}
	write(t, filepath.Join(project, "go"), "")
	answer, _ := s.until("slow")
	is.True(strings.Contains(answer, `"text":"slow\n"`))
}

func TestACursorIsGoodInAnotherProcess(t *testing.T) {
	t.Parallel()
	project := threeOfEach(t)
	for _, list := range lists {
		is := is.New(t)
		var first struct{ Result struct{ NextCursor string } }
		is.NoErr(json.Unmarshal([]byte("{"+alone(t, project, "MCPBASH_PAGE_SIZE=2").ask(list, claimed("", "{}"))+"}"), &first))
		next := `{"cursor":"` + first.Result.NextCursor + `"}`
		rest := alone(t, project).ask(list, claimed(next, "{}"))
		is.True(strings.HasPrefix(rest, `"result":{`) && strings.Contains(rest, `"name":"`)) // PG-05: nothing of the connection is needed
		is.True(!strings.Contains(rest, `"nextCursor"`))
		is.True(strings.HasPrefix(open(t, project, "2025-11-25", "{}").ask(list, next), `"result":{`))
	}
}

func TestRootsAreAskedForAgainWhenTheyHaveChanged(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/where/tool.sh": "#!/bin/sh\nprintf %s \"$MCP_ROOTS_PATHS\"\n"})
	s := open(t, project, "2025-11-25", `{"roots":{"listChanged":true},"future":5}`)
	where := func(asked string) string {
		s.send(`{"jsonrpc":"2.0","id":"where","method":"tools/call","params":{"name":"where"}}`)
		if asked != "" {
			line, _ := s.recv("the question for roots")
			var question struct {
				ID     json.RawMessage
				Method string
			}
			is.NoErr(json.Unmarshal([]byte(line), &question))
			is.Equal(question.Method, "roots/list")
			s.send(`{"jsonrpc":"2.0","id":` + string(question.ID) + `,"future":1,"result":{"roots":[{"uri":"file://` + filepath.ToSlash(asked) + `","name":"x","future":[]}],"future":{}}}`) // J-19
		}
		answer, before := s.until("where")
		is.Equal(len(before), 0) // it is asked no other time
		return answer
	}
	one, err := filepath.EvalSymlinks(t.TempDir())
	is.NoErr(err)
	two, err := filepath.EvalSymlinks(t.TempDir())
	is.NoErr(err)
	is.True(strings.Contains(where(one), `"text":"`+one+`"`))
	is.True(strings.Contains(where(""), `"text":"`+one+`"`)) // it is known
	s.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"future":1}}`)
	is.True(strings.Contains(where(two), `"text":"`+two+`"`)) // RO-03
}

func TestMembersThatNobodyKnowsAreIgnored(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	const future = `"future":[1],"io.example/x":{"future":null}`
	s := open(t, workshop, "2025-11-25", `{`+future+`,"sampling":{`+future+`},"elicitation":{`+future+`}}`)
	for _, method := range append([]string{"ping"}, lists...) {
		want := s.ask(method, "{}")
		is.Equal(s.ask(method, `{`+future+`,"_meta":{`+future+`}}`), want) // J-19
	}
	got := s.ask("tools/call", `{"name":"echo",`+future+`,"arguments":{"a":1},"_meta":{`+future+`}}`)
	is.True(strings.HasPrefix(got, `"result":{"content":[`))
	s.send(`{"jsonrpc":"2.0","id":"more","method":"ping",` + future + `}`)
	answer, _ := s.until("more")
	is.Equal(answer, `{"jsonrpc":"2.0","id":"more","result":{}}`)
	want := s.ask("server/discover", claimed("", "{}"))
	is.Equal(s.ask("server/discover", claimed(`{`+future+`}`, `{`+future+`}`, `,`+future)), want)
}
