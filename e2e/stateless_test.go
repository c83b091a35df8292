package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// These tests speak revision 2026-07-28 in lines, where the official client
// cannot say what is needed. docs/PROTOCOL.md tells which requirement each shows.

// everything is what a client can declare.
const everything = `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// alone starts a server to which every call brings what it is served under.
func alone(t *testing.T, project string, variables ...string) *server {
	cmd := command(t, "serve", "-C", project)
	cmd.Env = append(cmd.Env, variables...)
	return start(t, cmd)
}

// claimed are the params of a call with its claim. More are members of _meta,
// each after a comma.
func claimed(params, capabilities string, more ...string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + strings.Join(more, "") + `}`
	if inner := strings.TrimSuffix(strings.TrimPrefix(params, "{"), "}"); inner != "" {
		return "{" + inner + "," + meta + "}"
	}
	return "{" + meta + "}"
}

// A question is the answer to a call whose script asks.
type question struct {
	Result struct {
		ResultType    string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
		RequestState string
	}
}

// asks calls a tool that has a question, and returns it.
func (s *server) asks(params, capabilities string) question {
	s.t.Helper()
	var q question
	answer := s.ask("tools/call", claimed(params, capabilities))
	if err := json.Unmarshal([]byte("{"+answer+"}"), &q); err != nil || q.Result.ResultType != "input_required" {
		s.t.Fatalf("no question, but %s", answer)
	}
	return q
}

// keys are the names of the questions.
func (q question) keys() (keys []string) {
	for key := range q.Result.InputRequests {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// retry are the params of the call that answers a question.
func (q question) retry(name, responses string) string {
	return fmt.Sprintf(`{"name":%q,"inputResponses":%s,"requestState":%q}`, name, responses, q.Result.RequestState)
}

const hello = `{"who":{"action":"accept","content":{"name":"Ada"}}}`

// nosy asks for a name, and tells how often it was started.
const nosy = `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
echo started >>starts
answer="$(mcp_ask who elicitation/create '{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}')"
mcp_progress 50 "half way"
mcp_log info nosy asked
printf '%s after %d starts\n' "$answer" "$(($(wc -l <starts)))"
`

func starts(t *testing.T, project string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(project, "starts"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
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

func TestAScriptGoesOnWhenItsQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/nosy/tool.sh": nosy})
	s := alone(t, project)
	q := s.asks(`{"name":"nosy"}`, everything)
	is.Equal(q.keys(), []string{"who"}) // MR-03
	is.True(!strings.Contains(string(q.Result.InputRequests["who"].Params), "mode"))
	s.send(`{"jsonrpc":"2.0","id":"again","method":"tools/call","params":` + claimed(q.retry("nosy", hello), everything, `,"progressToken":"t","io.modelcontextprotocol/logLevel":"info"`) + `}`)
	answer, before := s.until("again")
	is.True(strings.Contains(answer, `Ada`))
	is.True(strings.Contains(answer, "after 1 starts")) // the script was kept
	is.Equal(len(before), 2)                            // it tells the call that is served now
	is.True(strings.Contains(before[0], `"progressToken":"t"`))
}

func TestAfterARestartTheScriptStartsAnewWithTheAnswer(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/nosy/tool.sh": nosy})
	key := "MCPBASH_STATE_KEY_FILE=" + filepath.Join(t.TempDir(), "deep", "key")
	first := alone(t, project, key)
	q := first.asks(`{"name":"nosy"}`, everything)
	first.in.Close()
	is.Equal(first.wait(), 0) // though a script waits: no process is left (MR-15)
	second := alone(t, project, key)
	is.True(strings.Contains(second.ask("tools/call", claimed(q.retry("nosy", hello), everything)), "after 2 starts")) // MR-08
}

func TestAScriptThatIsNotKeptStartsAnewWithTheAnswers(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/two/tool.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
echo started >>starts
mcp_elicit_string "First?" a
mcp_elicit_string "Second?" b
`})
	s := alone(t, project, "MCPBASH_INPUT_WAIT_SECS=0")
	accept := func(q question, field string) string {
		return fmt.Sprintf(`{%q:{"action":"accept","content":{%q:"x%s"}}}`, q.keys()[0], field, field)
	}
	first := s.asks(`{"name":"two"}`, everything)
	second := s.asks(first.retry("two", accept(first, "a")), everything)
	is.True(first.keys()[0] != second.keys()[0])
	got := s.ask("tools/call", claimed(second.retry("two", accept(second, "b")), everything))
	is.True(strings.Contains(got, "xa") && strings.Contains(got, "xb")) // MR-12: of both rounds
	is.Equal(starts(t, project), 3)
}

func TestAStateThatIsNotTheOneThatWasGivenIsRefused(t *testing.T) {
	t.Parallel()
	project := newProject(t, map[string]string{"tools/nosy/tool.sh": nosy, "tools/other/tool.sh": nosy})
	s := alone(t, project)
	quick := alone(t, project, "MCPBASH_REQUEST_STATE_TTL_SECS=0", "MCPBASH_STATE_KEY_FILE="+filepath.Join(t.TempDir(), "key"))
	used := s.asks(`{"name":"nosy"}`, everything)
	s.ask("tools/call", claimed(used.retry("nosy", hello), everything))
	changed := s.asks(`{"name":"nosy"}`, everything)
	changed.Result.RequestState += "-X"
	fresh := s.asks(`{"name":"nosy"}`, everything)
	withArguments := strings.Replace(fresh.retry("nosy", hello), "{", `{"arguments":{"a":1},`, 1)
	expired := quick.asks(`{"name":"nosy"}`, everything)
	for name, c := range map[string]struct {
		server      *server
		params, why string
	}{
		"changed":            {s, changed.retry("nosy", hello), "it was changed, or is not from this server"},               // MR-05
		"of another tool":    {s, fresh.retry("other", hello), "it belongs to a call with another name or other arguments"}, // MR-06
		"of other arguments": {s, withArguments, "it belongs to a call with another name or other arguments"},               // MR-06
		"used":               {s, used.retry("nosy", hello), "it was used before"},                                          // MR-07
		"of another server":  {s, expired.retry("nosy", hello), "it was changed, or is not from this server"},               // MR-05
		"expired":            {quick, expired.retry("nosy", hello), "it has expired"},                                       // MR-06
		"no text":            {s, `{"name":"nosy","requestState":5}`, "/requestState must be a string"},                     // MR-11
		"no answers":         {s, fresh.retry("nosy", `"x"`), "/inputResponses must be an object"},                          // MR-11
		"an answer is none":  {s, fresh.retry("nosy", `{"who":5}`), "/inputResponses/who must be an object"},                // MR-11
	} {
		got := c.server.ask("tools/call", claimed(c.params, everything))
		if !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, c.why) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAnswersThatAreMissingOrWrongAreAskedForAgain(t *testing.T) {
	t.Parallel()
	project := newProject(t, map[string]string{"tools/nosy/tool.sh": nosy})
	s := alone(t, project)
	for _, responses := range []string{`{}`, `{"other":{"action":"accept"}}`, `{"who":{}}`, `{"who":{"action":"maybe"}}`, `{"who":{"action":"accept","content":{"name":5}}}`} {
		is := is.New(t)
		q := s.asks(`{"name":"nosy"}`, everything)
		again := s.asks(q.retry("nosy", responses), everything)                                                         // MR-10, EL-07
		is.True(again.Result.RequestState != q.Result.RequestState)                                                     // its own
		got := s.ask("tools/call", claimed(again.retry("nosy", `{"extra":{},"who":{"action":"decline"}}`), everything)) // MR-09
		is.True(strings.Contains(got, "decline"))
	}
}

func TestOnlyWhatAClientHasDeclaredIsAsked(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/all/tool.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
mcp_ask \
  form elicitation/create '{"message":"m","requestedSchema":{"type":"object","properties":{}}}' \
  page elicitation/create '{"mode":"url","message":"m","url":"https://example.com/x"}' \
  model sampling/createMessage '{"messages":[],"maxTokens":1}' \
  tools sampling/createMessage '{"messages":[],"maxTokens":1,"tools":[]}' \
  where roots/list '{}'
`})
	s := alone(t, project)
	for capabilities, want := range map[string][]string{
		`{"elicitation":{}}`:         {"form"}, // C-07
		`{"elicitation":{"url":{}}}`: {"page"},
		`{"sampling":{}}`:            {"model"}, // SA-02
		`{"roots":{},"sampling":{}}`: {"model", "where"},
		everything:                   {"form", "model", "page", "tools", "where"},
	} {
		q := s.asks(`{"name":"all"}`, capabilities)
		is.Equal(q.keys(), want) // MR-04
	}
	q := s.asks(`{"name":"all"}`, everything)
	is.True(!strings.Contains(string(q.Result.InputRequests["page"].Params), "elicitationId")) // EL-09
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"all"}`, "{}")), "does not support it"))
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

// discover asks for what takes no time, and returns what came before the answer.
func (s *server) discover() (answer string, before []string) {
	s.send(`{"jsonrpc":"2.0","id":"discover","method":"server/discover","params":` + claimed("", "{}") + `}`)
	return s.until("discover")
}

func TestAStreamOfChangesTellsWhatItWasAskedFor(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/a/tool.sh": "#!/bin/sh\n", "resources/note.txt": "one"})
	s := alone(t, project, "MCPBASH_RESOURCES_POLL_INTERVAL_SECS=0.2")
	listen := func(id, filter string) string {
		s.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":` + claimed(`{"notifications":`+filter+`}`, "{}") + `}`)
		got, _ := s.recv("the acknowledgement")
		return got
	}
	var list struct {
		Result struct{ Resources []struct{ URI string } }
	}
	is.NoErr(json.Unmarshal([]byte("{"+s.ask("resources/list", claimed("", "{}"))+"}"), &list))
	uri := list.Result.Resources[0].URI
	is.Equal(listen("3", `{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["`+uri+`","none://x"]}`),
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["`+uri+`"]}}}`) // SL-01, SL-03
	is.True(strings.Contains(listen(`"b"`, `{"toolsListChanged":true}`), `"io.modelcontextprotocol/subscriptionId":"b"`)) // SL-02, SL-05
	is.True(strings.Contains(listen(`"c"`, `{"promptsListChanged":true}`), `"promptsListChanged":true`))
	write(t, filepath.Join(project, "tools/b/tool.sh"), "#!/bin/sh\n")
	for _, id := range []string{"3", `"b"`} { // and not "c"
		got, _ := s.recv("a change")
		is.Equal(got, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}}`)
	}
	write(t, filepath.Join(project, "resources/note.txt"), "two")
	got, _ := s.recv("an update")
	is.Equal(got, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"uri":"`+uri+`"}}`) // SL-11
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	write(t, filepath.Join(project, "tools/c/tool.sh"), "#!/bin/sh\n")
	got, _ = s.recv("a change")
	is.True(strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":"b"`)) // SL-06: no longer 3
	s.in.Close()
	rest := s.rest()
	is.Equal(len(rest), 4) // SL-07: for each of the two its result, then its end
	for _, id := range []string{`"b"`, `"c"`} {
		result := slices.IndexFunc(rest, func(l string) bool { return strings.HasPrefix(l, `{"jsonrpc":"2.0","id":`+id) })
		end := slices.IndexFunc(rest, func(l string) bool { return strings.Contains(l, `"requestId":`+id) })
		is.True(result >= 0 && end > result)
	}
	is.Equal(s.wait(), 0)
}

func TestAStreamThatAsksForNothingThereIsStaysOpen(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, workshop)
	is.True(strings.Contains(s.ask("subscriptions/listen", claimed("", "{}")), `"code":-32602`))                                    // SL-04
	is.True(strings.Contains(s.ask("subscriptions/listen", claimed(`{"notifications":{"taskIds":["x"]}}`, "{}")), `"code":-32021`)) // SL-13
	s.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":` + claimed(`{"notifications":{}}`, "{}") + `}`)
	got, _ := s.recv("the acknowledgement")
	is.True(strings.Contains(got, `"notifications":{}`)) // SL-10
	_, before := s.discover()
	is.Equal(len(before), 0)
}

// aTask is the answer to a call that goes on as a task, or to tasks/get.
type aTask struct {
	Result struct {
		ResultType, TaskID, Status, StatusMessage string
		InputRequests                             map[string]any
		Result                                    struct{ Content []struct{ Text string } }
		Error                                     *struct{ Code int }
	}
}

// task calls a method of a task, or a tool that becomes one.
func (s *server) task(method, params string) (got aTask) {
	s.t.Helper()
	if err := json.Unmarshal([]byte("{"+s.ask(method, claimed(params, everything))+"}"), &got); err != nil {
		s.t.Fatal(err)
	}
	return got
}

// status waits until a task has a status.
func (s *server) status(id, status string) aTask {
	s.t.Helper()
	for {
		if got := s.task("tasks/get", `{"taskId":"`+id+`"}`); got.Result.Status == status {
			return got
		} else if got.Result.Status == "" {
			s.t.Fatalf("no task %s", id)
		}
	}
}

func TestACallThatTakesLongGoesOnAsATask(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{
		"tools/long/tool.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
until [[ -e go ]]; do sleep 0.05; done
mcp_progress 50 "half way"
mcp_elicit_confirm "Go on?"
`,
		"tools/fails/tool.sh":        "#!/bin/sh\nuntil [ -e go ]; do sleep 0.05; done\necho no >&2\nexit 3\n",
		"tools/must/tool.sh":         "#!/bin/sh\nsleep 60\n",
		"tools/must/tool.meta.json":  `{"taskSupport":"required"}`,
		"tools/never/tool.sh":        "#!/bin/sh\nsleep 0.5\necho done\n",
		"tools/never/tool.meta.json": `{"taskSupport":"forbidden"}`,
	})
	s := alone(t, project, "MCPBASH_TASK_AFTER_SECS=0.1")
	is.True(strings.Contains(s.ask("server/discover", claimed("", "{}")), `"io.modelcontextprotocol/tasks":{}`)) // TX-01
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"never"}`, everything)), "done"))
	is.True(strings.Contains(s.ask("tools/call", claimed(`{"name":"must"}`, "{}")), `"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)) // TX-03
	long := s.task("tools/call", `{"name":"long"}`).Result
	is.Equal(long.ResultType, "task") // TX-04
	is.Equal(long.Status, "working")
	fails := s.task("tools/call", `{"name":"fails"}`).Result
	is.Equal(s.task("tasks/get", `{"taskId":"`+long.TaskID+`"}`).Result.Status, "working")                        // TX-06
	is.True(strings.Contains(s.ask("tasks/get", claimed(`{"taskId":"`+long.TaskID+`"}`, "{}")), `"code":-32021`)) // TX-12
	write(t, filepath.Join(project, "go"), "")
	asked := s.status(long.TaskID, "input_required").Result
	is.Equal(len(asked.InputRequests), 1)
	for key := range asked.InputRequests {
		is.True(strings.Contains(s.ask("tasks/update", claimed(`{"taskId":"`+long.TaskID+`","inputResponses":{"`+key+`":{"action":"accept","content":{"confirmed":true}}}}`, everything)), `"resultType":"complete"`)) // TX-09
	}
	done := s.status(long.TaskID, "completed").Result
	is.Equal(done.ResultType, "complete")
	is.True(strings.Contains(done.Result.Content[0].Text, "true"))          // TX-07
	is.Equal(s.status(fails.TaskID, "completed").Result.Error == nil, true) // TX-08: the tool failed, not the protocol
	must := s.task("tools/call", `{"name":"must"}`).Result
	is.Equal(s.task("tasks/cancel", `{"taskId":"`+must.TaskID+`"}`).Result.ResultType, "complete") // TX-10
	s.status(must.TaskID, "cancelled")
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		is.True(strings.Contains(s.ask(method, claimed(`{"taskId":"none"}`, everything)), `"code":-32602`)) // TX-11
	}
	for _, method := range []string{"tasks/result", "tasks/list"} {
		is.True(strings.Contains(s.ask(method, claimed(`{"taskId":"none"}`, everything)), `"code":-32601`)) // TX-13
	}
	s.in.Close()
	is.Equal(s.wait(), 0)
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
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/list", "tasks/result", "foo/bar"} {
		is.True(strings.Contains(s.ask(method, claimed("", "{}")), `"code":-32601`)) // N-11, J-11
	}
	for _, method := range []string{"subscriptions/listen", "tasks/get"} {
		is.True(strings.Contains(s.ask(method, "{}"), `"code":-32601`)) // a session does not know them
	}
	is.True(strings.Contains(s.ask("server/discover", "{}"), `"code":-32602`)) // F-19
}

func TestPromptsMayAskToo(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"prompts/greet.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
mcp_elicit_string "Who are you?" name
`, "prompts/greet.meta.json": `{"description":"Greets"}`})
	s := alone(t, project)
	var q question
	is.NoErr(json.Unmarshal([]byte("{"+s.ask("prompts/get", claimed(`{"name":"greet"}`, everything))+"}"), &q))
	is.Equal(q.Result.ResultType, "input_required") // MR-01
	got := s.ask("prompts/get", claimed(q.retry("greet", `{"`+q.keys()[0]+`":{"action":"accept","content":{"name":"Ada"}}}`), everything))
	is.True(strings.Contains(got, "Ada"))
}
