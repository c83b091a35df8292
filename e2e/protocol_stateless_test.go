package e2e

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// These tests extend those of stateless_test.go: they test rows of docs/PROTOCOL.md
// that apply to all calls rather than to one feature.

// lists are the methods that return lists.
var lists = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}

func TestListsAreTheSameForEveryClientAndAtAnyTime(t *testing.T) {
	t.Parallel()
	files := maps.Clone(richest)
	files["tools/see/tool.sh"], files["tools/see/ui/index.html"] = "#!/bin/sh\necho seen\n", "<!doctype html><title>See</title>"
	project := threeOfEach(t)
	first, second := alone(t, project), open(t, project, "2024-11-05", "{}")
	for _, list := range lists {
		is := is.New(t)
		want := first.ask(list, claimed("", "{}"))
		is.True(strings.HasPrefix(want, `"result":{`))
		for _, tool := range []string{"tell", "see", "none"} {
			first.ask("tools/call", claimed(`{"name":"`+tool+`"}`, everything))
			is.Equal(first.ask(list, claimed("", everything)), want) // T-14, T-15, R-14, PR-08: whatever was called, whoever asks
		}
		who := `,"io.modelcontextprotocol/clientInfo":{"name":"another","version":"2"}`
		is.Equal(first.ask(list, claimed("", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`, who)), want) // AP-05, N-10
		is.Equal(second.ask(list, claimed("", "{}")), want)                                                                                            // in another process too, beside a session
	}
}

func TestEveryPageSaysForHowLongAndForWhomItHolds(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := threeOfEach(t)
	for hint, s := range map[string]*server{
		`"ttlMs":0,"cacheScope":"public"`:      alone(t, project, "MCPBASH_PAGE_SIZE=2"),
		`"ttlMs":300000,"cacheScope":"public"`: alone(t, project, "MCPBASH_PAGE_SIZE=2", "MCPBASH_STATIC_REGISTRY=1"),
	} {
		is.True(strings.Contains(s.ask("server/discover", claimed("", "{}")), hint)) // CA-01
		for _, list := range lists {
			params, pages := "", 0
			for more := true; more; pages++ {
				var answer struct{ Result struct{ NextCursor string } }
				text := s.ask(list, claimed(params, "{}"))
				is.True(strings.Contains(text, hint)) // CA-02, T-30, R-13, PR-08, PG-06
				is.NoErr(json.Unmarshal([]byte("{"+text+"}"), &answer))
				params, more = `{"cursor":"`+answer.Result.NextCursor+`"}`, answer.Result.NextCursor != ""
			}
			is.Equal(pages, 2)
			is.True(strings.Contains(s.ask(list, claimed(`{"cursor":"zzz"}`, "{}")), `"code":-32602`)) // PG-02
		}
		is.True(strings.Contains(s.ask("resources/read", claimed(`{"name":"a"}`, "{}")), `"ttlMs":0,"cacheScope":"private"`))
	}
}

func TestAListThatDependsOnItsCallerIsPrivate(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, newProject(t, map[string]string{"tools/a/tool.sh": "#!/bin/sh\n", "tools/b/tool.sh": "#!/bin/sh\n",
		"tools/b/tool.meta.json": `{"requiredScopes": ["ops"]}`}), "MCPBASH_STATIC_REGISTRY=1")
	is.True(strings.Contains(s.ask("tools/list", claimed("", "{}")), `"ttlMs":0,"cacheScope":"private"`)) // CA-02
	is.True(strings.Contains(s.ask("prompts/list", claimed("", "{}")), `"cacheScope":"public"`))
}

func TestWhatIsNotDiscoveredHasNoMethods(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	cmd := command(t, "serve")
	cmd.Dir = t.TempDir() // no project: nothing but one tool
	s := start(t, cmd)
	discovered := s.ask("server/discover", claimed("", "{}"))
	for _, c := range []struct{ capability, method string }{
		{"prompts", "prompts/list"},
		{"resources", "resources/list"},
		{"resources", "resources/templates/list"},
		{"completions", "completion/complete"},
		{"tasks", "tasks/get"},
		{"tasks", "tasks/cancel"},
	} {
		is.True(!strings.Contains(discovered, `"`+c.capability+`":`))
		is.True(!strings.Contains(discovered, `/`+c.capability+`":`))
		is.True(strings.HasPrefix(s.ask(c.method, claimed("", everything)), `"error":{"code":-32601,`)) // N-12
	}
	s.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":` + claimed(`{"notifications":{"toolsListChanged":true}}`, "{}") + `}`)
	got, _ := s.recv("the acknowledgement")
	is.True(strings.Contains(got, `"notifications":{}`)) // SL-10: its only tool never changes
}

func TestExtensionsAreDiscoveredUnderTheirWholeNames(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	var got struct {
		Result struct {
			Capabilities map[string]json.RawMessage
		}
	}
	is.NoErr(json.Unmarshal([]byte("{"+alone(t, workshop).ask("server/discover", claimed("", "{}"))+"}"), &got))
	is.True(got.Result.Capabilities["tasks"] == nil) // C-04, TX-01
	var extensions map[string]json.RawMessage
	is.NoErr(json.Unmarshal(got.Result.Capabilities["extensions"], &extensions))
	is.True(len(extensions) > 0)
	grammar := regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)+/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	for name := range extensions {
		is.True(grammar.MatchString(name)) // C-08
	}
}

func TestAnIDIsGoodAgainOnceItWasAnswered(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, workshop)
	for range 3 {
		s.send(`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":` + claimed("", "{}") + `}`)
		got, _ := s.recv("the list")
		is.True(strings.HasPrefix(got, `{"jsonrpc":"2.0","id":7,"result":{`)) // J-06
	}
	s.send(`{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"no"}}`)
	_, before := s.discover()
	is.Equal(len(before), 0) // S-13: answers to nothing are dropped
}

func TestACallWithoutMetadataNeedsASession(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, workshop)
	for _, params := range []string{"", "{}", "null", `{"_meta":{}}`} {
		is.True(strings.HasPrefix(s.ask("tools/list", params), `"error":{"code":-32000,`))      // J-18: never a list
		is.True(strings.HasPrefix(s.ask("server/discover", params), `"error":{"code":-32602,`)) // N-01
		is.True(strings.HasPrefix(s.ask("tools/list", claimed("", "{}")), `"result":{`))        // and nothing is lost
	}
}

func TestChangesAreToldToNobodyWhoHasNotAskedForThem(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/a/tool.sh": "#!/bin/sh\n"})
	s, witness := alone(t, project), open(t, project, "2025-11-25", "{}")
	s.ask("tools/list", claimed("", "{}"))
	witness.ask("tools/list", "{}")
	write(t, filepath.Join(project, "tools/b/tool.sh"), "#!/bin/sh\n")
	got, _ := witness.recv("the change") // a session is notified
	is.True(strings.Contains(got, "notifications/tools/list_changed"))
	_, before := s.discover()
	is.Equal(len(before), 0) // B-09
	s.in.Close()
	is.Equal(len(s.rest()), 0)
}

func TestAnIdleClientIsNotAsked(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/a/tool.sh": "#!/bin/sh\necho done\n", "prompts/p.md": "hello", "resources/r.txt": "hello"})
	const able = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	s := open(t, project, "2025-11-25", able)
	s.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	for _, list := range lists {
		s.send(`{"jsonrpc":"2.0","id":"list","method":"` + list + `"}`)
		_, before := s.until("list")
		is.Equal(len(before), 0) // RO-07
	}
	s.send(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"a"}}`)
	question, _ := s.recv("a question")
	is.True(strings.Contains(question, `"method":"roots/list"`)) // while a call may need them
	stateless := alone(t, project)
	is.True(strings.Contains(stateless.ask("tools/call", claimed(`{"name":"a"}`, everything)), "done")) // RO-06, SA-08: not at all
}

func TestAPageThatWasAcceptedMayBeAskedForAgain(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/pay/tool.sh": `#!/usr/bin/env bash
source "$MCP_SDK/tool-sdk.sh"
until [[ -e paid ]]; do
	mcp_ask page elicitation/create '{"mode":"url","message":"Pay","url":"https://example.com/pay"}' >/dev/null
done
echo paid
`})
	s := alone(t, project)
	q := s.asks(`{"name":"pay"}`, everything)
	again := func(q question) string {
		return q.retry("pay", `{"`+q.keys()[0]+`":{"action":"accept"}}`)
	}
	for range 2 {
		q = s.asks(again(q), everything) // EL-13: consent is not completion
	}
	write(t, filepath.Join(project, "paid"), "")
	is.True(strings.Contains(s.ask("tools/call", claimed(again(q), everything)), "paid"))
}
