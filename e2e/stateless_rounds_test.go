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

// keys returns the names of the questions.
func (q question) keys() (keys []string) {
	for key := range q.Result.InputRequests {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// retry returns the params of the call that answers a question.
func (q question) retry(name, responses string) string {
	return fmt.Sprintf(`{"name":%q,"inputResponses":%s,"requestState":%q}`, name, responses, q.Result.RequestState)
}

const hello = `{"who":{"action":"accept","content":{"name":"Ada"}}}`

// nosy asks for a name, and prints how many times it was started.
const nosy = `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
echo started >>starts
answer="$(mcp_ask who elicitation/create '{"message":"Who?","requestedSchema":` +
	`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}')"
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

func TestAScriptGoesOnWhenItsQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/nosy/tool.sh": nosy})
	s := alone(t, project)
	q := s.asks(`{"name":"nosy"}`, everything)
	is.Equal(q.keys(), []string{"who"})                                                      // MR-03
	is.True(strings.Contains(string(q.Result.InputRequests["who"].Params), `"mode":"form"`)) // EL-03
	params := claimed(q.retry("nosy", hello), everything,
		`,"progressToken":"t","io.modelcontextprotocol/logLevel":"info"`)
	s.send(`{"jsonrpc":"2.0","id":"again","method":"tools/call","params":` + params + `}`)
	answer, before := s.until("again")
	is.True(strings.Contains(answer, `Ada`))
	is.True(strings.Contains(answer, "after 1 starts")) // the script was kept
	is.Equal(len(before), 2)                            // those of the call that is served now
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
	got := second.ask("tools/call", claimed(q.retry("nosy", hello), everything))
	is.True(strings.Contains(got, "after 2 starts")) // MR-08
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
	quick := alone(t, project,
		"MCPBASH_REQUEST_STATE_TTL_SECS=0", "MCPBASH_STATE_KEY_FILE="+filepath.Join(t.TempDir(), "key"))
	used := s.asks(`{"name":"nosy"}`, everything)
	s.ask("tools/call", claimed(used.retry("nosy", hello), everything))
	changed := s.asks(`{"name":"nosy"}`, everything)
	changed.Result.RequestState += "-X"
	fresh := s.asks(`{"name":"nosy"}`, everything)
	withArguments := strings.Replace(fresh.retry("nosy", hello), "{", `{"arguments":{"a":1},`, 1)
	expired := quick.asks(`{"name":"nosy"}`, everything)
	const (
		foreign = "changed, or not from this server"
		another = "belongs to a call of another user, with another name, with other arguments"
	)
	for name, c := range map[string]struct {
		server      *server
		params, why string
	}{
		"changed":            {s, changed.retry("nosy", hello), foreign},                                     // MR-05
		"of another tool":    {s, fresh.retry("other", hello), another},                                      // MR-06
		"of other arguments": {s, withArguments, another},                                                    // MR-06
		"used":               {s, used.retry("nosy", hello), "already used"},                                 // MR-07
		"of another server":  {s, expired.retry("nosy", hello), foreign},                                     // MR-05
		"expired":            {quick, expired.retry("nosy", hello), "requestState: expired"},                 // MR-06
		"no text":            {s, `{"name":"nosy","requestState":5}`, "/requestState must be a string"},      // MR-11
		"no answers":         {s, fresh.retry("nosy", `"x"`), "/inputResponses must be an object"},           // MR-11
		"an answer is none":  {s, fresh.retry("nosy", `{"who":5}`), "/inputResponses/who must be an object"}, // MR-11
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
	for _, responses := range []string{
		`{}`,
		`{"other":{"action":"accept"}}`,
		`{"who":{}}`,
		`{"who":{"action":"maybe"}}`,
		`{"who":{"action":"accept","content":{"name":5}}}`,
	} {
		is := is.New(t)
		q := s.asks(`{"name":"nosy"}`, everything)
		again := s.asks(q.retry("nosy", responses), everything)     // MR-10, EL-07
		is.True(again.Result.RequestState != q.Result.RequestState) // its own
		declined := again.retry("nosy", `{"extra":{},"who":{"action":"decline"}}`)
		got := s.ask("tools/call", claimed(declined, everything)) // MR-09
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
