package handlers_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// refusedFor returns the answer to a call with invalid params.
func refusedFor(why string) string {
	return `"error":{"code":-32602,"message":"invalid params: ` + why + `"}`
}

func TestInitializeNeedsParams(t *testing.T) {
	for _, params := range []string{"", "null"} {
		is := is.New(t)
		s := newServer(t, nil)
		is.Equal(s.call("initialize", params), refusedFor("params are missing; send at least {}")) // L-03
		is.Equal(s.session.Phase(), mcp.Unopened)
		is.True(strings.HasPrefix(s.call("initialize", "{}"), `"result":{`)) // as scripts send it
	}
}

func TestCapabilitiesOfAWrongTypeAreRefused(t *testing.T) {
	for _, capabilities := range []string{
		`{"roots":true}`, `{"roots":{"listChanged":"yes"}}`, `{"sampling":5}`, `{"sampling":[]}`, `{"sampling":{"tools":true}}`, `{"sampling":{"context":"x"}}`,
		`{"elicitation":true}`, `{"elicitation":"form"}`, `{"elicitation":{"form":[]}}`, `{"elicitation":{"url":1}}`,
		`{"extensions":[]}`, `{"extensions":{"io.modelcontextprotocol/ui":true}}`, `{"experimental":5}`, `{"experimental":{"x":5}}`,
		`{"roots":null}`, `{"sampling":{"tools":null}}`, `{"elicitation":null}`, `{"elicitation":{"form":{},"url":null}}`,
		`{"extensions":null}`, `{"extensions":{"io.modelcontextprotocol/tasks":null}}`,
	} {
		t.Run(capabilities, func(t *testing.T) {
			is := is.New(t)
			s := newServer(t, nil)
			got := s.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"x","version":"1"}}`)
			is.True(strings.HasPrefix(got, `"error":{"code":-32602,"message":"invalid params: /capabilities/`)) // L-03
			is.Equal(s.session.Phase(), mcp.Unopened)
			_, err := mcp.ParseClaim([]byte(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}`))
			is.True(err != nil) // N-01
		})
	}
}

func TestADuplicateMemberIsRefused(t *testing.T) {
	is := is.New(t)
	s := newServer(t, map[string]string{"a": `{}`, "b": `{}`})
	is.Equal(s.call("tools/call", `{"name":"a","name":"b"}`), refusedFor("duplicate member /name"))
	is.Equal(s.call("tools/call", `{"name":"a","arguments":{"x":{"y":1,"y":2}}}`), refusedFor("duplicate member /arguments/x/y"))
	is.Equal(s.call("tools/call", `{"name":"a","_meta":{"k":1,"k":2}}`), refusedFor("duplicate member /_meta/k"))
	is.Equal(s.call("ping", `{"k":1,"\u006b":2}`), refusedFor("duplicate member /k"))
	is.Equal(s.call("prompts/get", `{"name":"review","arguments":{"code":"x","code":"y"}}`), refusedFor("duplicate member /arguments/code"))
	is.True(s.asked.Tool == nil) // nothing ran
}

func TestAProgressTokenIsAStringOrAnIntegerInEveryCall(t *testing.T) {
	s := newServer(t, map[string]string{"a": `{}`})
	for method, params := range map[string]string{
		"tools/call": `"name":"a",`, "tools/list": ``, "prompts/get": `"name":"review","arguments":{"code":"x"},`, "resources/read": `"uri":"x://y",`, "ping": ``,
		"completion/complete": `"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"lang","value":""},`,
	} {
		t.Run(method, func(t *testing.T) {
			is := is.New(t)
			for _, token := range []string{`{}`, `[]`, `true`, `1.5`, `1e-3`, `-0.1`, `null`} {
				got := s.call(method, `{`+params+`"_meta":{"progressToken":`+token+`}}`)
				is.Equal(got, refusedFor("/_meta/progressToken must be a string or an integer")) // P-08
			}
			for _, token := range []string{`0`, `-7`, `12345678901234567890123`, `1.0`, `1e3`, `""`, `"a\u0062"`} {
				is.True(strings.HasPrefix(s.call(method, `{`+params+`"_meta":{"progressToken":`+token+`}}`), `"result":{`))
			}
			is.Equal(s.call(method, `{`+params+`"_meta":[]}`), refusedFor("/_meta must be an object"))
		})
	}
}

func TestANullArgumentOfAPromptCountsAsAbsent(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	is.Equal(s.call("prompts/get", `{"name":"review","arguments":{"code":null}}`), refusedFor("/arguments/code is missing: the prompt review requires it")) // PR-02
	is.True(strings.Contains(s.call("prompts/get", `{"name":"review","arguments":{"code":"x","lang":null}}`), `"text":"map[code:x]"`))                      // an optional one counts as absent
	for _, value := range []string{`5`, `true`, `{}`, `["x"]`} {
		is.True(strings.HasPrefix(s.call("prompts/get", `{"name":"review","arguments":{"code":`+value+`}}`), `"error":{"code":-32602,"message":"invalid params: /arguments/code must be a string, not `)) // PR-03
	}
}

func TestACompletionNeedsAValue(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	for _, argument := range []string{`{"name":"lang"}`, `{"name":"lang","value":null}`} {
		is.Equal(s.call("completion/complete", `{"ref":{"type":"ref/prompt","name":"review"},"argument":`+argument+`}`), refusedFor("/argument/value is missing")) // CM-03
	}
	is.Equal(s.call("completion/complete", `{"ref":{"type":"ref/prompt","name":"review"}}`), refusedFor("/argument/name is missing"))
	is.Equal(s.call("completion/complete", `{"argument":{"name":"lang","value":""}}`), refusedFor(`/ref/type \"\" is neither ref/prompt nor ref/resource`))
}

func TestACursorMustBeFromTheServer(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	for _, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		is.Equal(s.call(list, `{"cursor":""}`), `"error":{"code":-32602,"message":"Invalid cursor"}`) // PG-02
		for _, cursor := range []string{`5`, `{}`, `[]`, `true`} {
			is.True(strings.HasPrefix(s.call(list, `{"cursor":`+cursor+`}`), `"error":{"code":-32602,"message":"invalid params: /cursor must be a string, not `)) // PG-03
		}
		is.True(strings.HasPrefix(s.call(list, `{"cursor":null}`), `"result":{`)) // null counts as absent
	}
	is.True(strings.HasPrefix(s.call("completion/complete", `{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"lang","value":""},"cursor":""}`),
		`"result":{`)) // as in the Bash program, whose extension it is
}
