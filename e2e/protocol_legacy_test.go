package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// These tests send lines to the server, where the official client cannot send what is
// needed. docs/PROTOCOL.md lists the requirement that each of them tests.

// sessions are the revisions with initialize.
var sessions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// open opens a session of a client with the given capabilities.
func open(t testing.TB, project, version, capabilities string, variables ...string) *server {
	t.Helper()
	cmd := command(t, "serve", "-C", project)
	cmd.Env = append(cmd.Env, variables...)
	s := start(t, cmd)
	s.send(
		`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":`+capabilities+`,"clientInfo":{"name":"e2e","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	)
	s.until("open")
	return s
}

// until waits for the answer to a call and returns it and the lines before it.
func (s *server) until(id string) (answer string, before []string) {
	s.t.Helper()
	for {
		line, ok := s.recv("the answer to " + id)
		if !ok {
			s.t.Fatalf("the server ended before it answered %s", id)
		}
		if answered(line) == `"`+id+`"` {
			return line, before
		}
		before = append(before, line)
	}
}

// ask calls a method and returns the answer from its member result or error on. Empty
// params are left out.
func (s *server) ask(method, params string) string {
	s.t.Helper()
	if params != "" {
		params = `,"params":` + params
	}
	s.send(`{"jsonrpc":"2.0","id":"ask","method":"` + method + `"` + params + `}`)
	answer, _ := s.until("ask")
	return strings.TrimSuffix(strings.TrimPrefix(answer, `{"jsonrpc":"2.0","id":"ask",`), "}")
}

const asking = `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_elicit_confirm "Once?" >/dev/null
mcp_elicit_confirm "Twice?" >/dev/null
mcp_roots_count >/dev/null
echo asked
`

func TestAClientIsAskedOnlyForWhatItDeclares(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{"tools/ask/tool.sh": asking})
	for _, version := range sessions {
		is := is.New(t)
		s := open(t, root, version, "{}")
		s.send(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"ask"}}`)
		answer, before := s.until("call")
		is.Equal(len(before), 0)                         // no request
		is.True(strings.Contains(answer, `"content":[`)) // the tool says that it cannot
	}
}

func TestEachQuestionHasAnIDOfItsOwnAndTheModeThatTheRevisionKnows(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{"tools/ask/tool.sh": asking})
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		is := is.New(t)
		s := open(t, root, version, `{"elicitation":{}}`)
		s.send(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"ask"}}`)
		seen := map[string]bool{}
		for range 2 {
			line, _ := s.recv("a question")
			var question struct {
				ID     json.RawMessage
				Method string
				Params struct{ Mode *string }
			}
			is.NoErr(json.Unmarshal([]byte(line), &question))
			is.Equal(question.Method, "elicitation/create")
			is.True(!seen[string(question.ID)]) // not used before
			seen[string(question.ID)] = true
			is.True(version != "2025-06-18" || question.Params.Mode == nil) // modes came later
			s.send(`{"jsonrpc":"2.0","id":` + string(question.ID) + `,"result":{"action":"decline"}}`)
		}
		answer, before := s.until("call")
		is.Equal(len(before), 0)
		is.True(strings.Contains(answer, "asked"))
	}
}

func TestTasksAreNoPartOfASession(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := open(t, workshop, "2025-11-25", `{"tasks":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
	is.True(strings.HasPrefix(s.ask("tools/call", `{"name":"echo","task":{"ttl":1}}`), `"result":{"content":[`)) // as without it
	for _, method := range []string{"tasks/list", "tasks/get", "tasks/result", "tasks/cancel"} {
		is.True(strings.HasPrefix(s.ask(method, `{"taskId":"x"}`), `"error":{"code":-32601,`)) // they were not offered
	}
}

func TestWhatIsUnknownInMetadataDisturbsNothing(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{
		`{"traceparent":"junk","tracestate":5,"baggage":null}`,
		`{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"}`,
		`{"example.com/x":[1],"y":""}`,
	} {
		is := is.New(t)
		s := open(t, workshop, "2025-11-25", `{"future":{}}`)
		is.True(strings.HasPrefix(s.ask("tools/call", `{"name":"echo","arguments":{"a":1},"more":2,"_meta":`+meta+`}`), `"result":{"content":[`))
		is.Equal(s.ask("ping", `{"_meta":`+meta+`}`), `"result":{}`)
		is.True(strings.HasPrefix(s.ask("tools/call", claimed(`{"name":"echo"}`, "{}", ","+strings.Trim(meta, "{}"))), `"result":{"content":[`)) // TR-02
	}
}

// threeOfEach creates a project with three tools, prompts, resources and templates.
func threeOfEach(t *testing.T) string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		files["tools/"+name+"/tool.sh"] = "#!/bin/sh\n"
		files["prompts/"+name+".md"] = "hello"
		files["resources/"+name+".txt"] = "hello"
		files["resources/t"+name+".meta.json"] = fmt.Sprintf(`{"name":"t%s","uriTemplate":"db://%s/{id}"}`, name, name)
		files["resources/t"+name+".sh"] = "#!/bin/sh\n"
	}
	return newProject(t, files)
}

func TestEveryListNeedsNoParamsAndComesInPages(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := open(t, threeOfEach(t), "2025-11-25", "{}", "MCPBASH_PAGE_SIZE=2")
	for _, list := range []string{"tools", "prompts", "resources", "resources/templates"} {
		member, params, total := list, "", 0
		if list == "resources/templates" {
			member = "resourceTemplates"
		}
		for _, want := range []int{2, 1} {
			var answer struct{ Result map[string]json.RawMessage }
			is.NoErr(json.Unmarshal([]byte("{"+s.ask(list+"/list", params)+"}"), &answer))
			var items []any
			is.NoErr(json.Unmarshal(answer.Result[member], &items))
			is.Equal(len(items), want)
			total += len(items)
			cursor, more := answer.Result["nextCursor"]
			is.Equal(more, total < 3) // the last page has no cursor
			params = fmt.Sprintf(`{"cursor":%s}`, cursor)
		}
		is.True(strings.HasPrefix(s.ask(list+"/list", `{"cursor":"zzz"}`), `"error":{"code":-32602,`))
		is.True(strings.HasPrefix(s.ask(list+"/list", `{"cursor":5}`), `"error":{"code":-32602,`))
	}
}

func TestAResourceThatIsNotThereHasItsCodeInEverySession(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{"resources/a.txt": "hello"})
	for _, version := range sessions {
		is := is.New(t)
		s := open(t, root, version, "{}")
		got := s.ask("resources/read", `{"uri":"notes://none"}`)
		is.True(strings.HasPrefix(got, `"error":{"code":-32002,`))
		is.True(strings.Contains(got, `"data":{"uri":"notes://none"`)) // which one
	}
}

func TestASubscriptionCanBeRepeatedAndEndedAgain(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := open(t, newProject(t, map[string]string{"resources/a.txt": "hello", "resources/a.txt.meta.json": `{"uri":"notes://a"}`}), "2025-11-25", "{}")
	for _, uri := range []string{"notes://a", "notes://none"} {
		is.Equal(s.ask("resources/unsubscribe", `{"uri":"`+uri+`"}`), `"result":{}`) // from nothing
	}
	for range 2 {
		is.Equal(s.ask("resources/subscribe", `{"uri":"notes://a"}`), `"result":{}`)
	}
	is.True(strings.HasPrefix(s.ask("resources/subscribe", `{"uri":"notes://none"}`), `"error":{"code":-32002,`))
}

func TestWhatIsNotOfferedHasNoMethods(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	cmd := command(t, "serve")
	cmd.Dir = t.TempDir() // no project: nothing but one tool
	s := start(t, cmd)
	s.send(
		`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	)
	opened, _ := s.until("open")
	for _, c := range []struct{ capability, method string }{
		{"prompts", "prompts/list"},
		{"resources", "resources/list"},
		{"resources", "resources/subscribe"},
		{"completions", "completion/complete"},
	} {
		is.True(!strings.Contains(opened, `"`+c.capability+`":`))
		is.True(strings.HasPrefix(s.ask(c.method, ""), `"error":{"code":-32601,`))
	}
}

func TestAQuestionThatNobodyAnswersIsTakenBack(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := newProject(t, map[string]string{"tools/ask/tool.sh": `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_elicit "Anyone?" '{"type":"object","properties":{}}' 0.2 >/dev/null || :
echo "went on"
`})
	s := open(t, root, "2025-11-25", `{"elicitation":{}}`)
	s.send(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"ask"}}`)
	line, _ := s.recv("the question")
	var question message
	is.NoErr(json.Unmarshal([]byte(line), &question))
	line, _ = s.recv("that it is taken back")
	is.True(strings.Contains(line, `"method":"notifications/cancelled","params":{`))
	is.True(strings.Contains(line, `"requestId":`+string(question.ID)))
	answer, _ := s.until("call")
	is.True(strings.Contains(answer, "went on"))
}

func TestACompletionHasAtMostAHundredValues(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	var values []string
	for i := range 250 {
		values = append(values, fmt.Sprintf(`"v%03d"`, i))
	}
	s := open(t, newProject(t, map[string]string{
		"prompts/p.md":        "{{a}}",
		"prompts/p.meta.json": `{"arguments":[{"name":"a","values":[` + strings.Join(values, ",") + `]}]}`,
	}), "2025-11-25", "{}")
	got := s.ask("completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"}}`)
	is.Equal(cursor.ReplaceAllString(got, `"nextCursor":"(opaque)"`),
		`"result":{"completion":{"values":[`+strings.Join(values[:100], ",")+`],"total":250,"hasMore":true,"nextCursor":"(opaque)"}}`)
}

func TestACompletionKnowsTheOtherArguments(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{
		"prompts/p.md":            "{{country}} {{city}}",
		"prompts/p.meta.json":     `{"arguments":[{"name":"country"},{"name":"city"}]}`,
		"prompts/p.completion.sh": "#!/bin/sh\ncase $MCP_COMPLETION_ARGS_JSON in *norway*) echo Oslo ;; *) echo Paris ;; esac\n",
	})
	s := open(t, project, "2025-11-25", "{}")
	const city = `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"city","value":""}`
	is.Equal(s.ask("completion/complete", city+`,"context":{"arguments":{"country":"norway"}}}`), `"result":{"completion":{"values":["Oslo"],"total":1,"hasMore":false}}`)
	is.Equal(s.ask("completion/complete", city+`}`), `"result":{"completion":{"values":["Paris"],"total":1,"hasMore":false}}`)
	s = open(t, project, "2025-03-26", "{}") // which has no context
	is.Equal(s.ask("completion/complete", city+`,"context":{"arguments":{"country":"norway"}}}`), `"result":{"completion":{"values":["Paris"],"total":1,"hasMore":false}}`)
}
