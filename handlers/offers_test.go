package handlers_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestResourcesAndTemplatesAreListedForTheRevision(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	is.Equal(s.call("resources/list", ""), `"result":{"resources":[{"uri":"notes://a","name":"a","title":"The A","mimeType":"text/markdown","annotations":{"priority":1.0}}],"_meta":{"mcpbash/total":1}}`)
	is.Equal(s.call("resources/templates/list", ""), `"result":{"resourceTemplates":[{"uriTemplate":"notes://{id}","name":"t","title":"T"}],"_meta":{"mcpbash/total":1}}`)
	s.call("initialize", `{"protocolVersion":"2025-03-26"}`)
	is.True(!strings.Contains(s.call("resources/list", ""), "title"))           // not in that revision
	is.True(!strings.Contains(s.call("resources/templates/list", ""), "title")) // nor in this one
}

func TestAResourceIsReadByURIOrName(t *testing.T) {
	for _, c := range []struct{ params, want string }{
		{`{"uri":"x://y"}`, `"result":{"contents":[{"uri":"x://y","text":"x://y"}]}`},
		{`{"name":"a"}`, `"result":{"contents":[{"uri":"notes://a","text":"notes://a"}]}`},
		{`{"uri":"none://x"}`, `"error":{"code":-32002,"message":"Resource not found"}`},
		{`{"name":"none"}`, `"error":{"code":-32002,"message":"Resource not found: none"}`},
		{`{}`, `"error":{"code":-32602,"message":"invalid params: /uri is missing: it names the resource"}`},
	} {
		is := is.New(t)
		is.Equal(newServer(t, nil).call("resources/read", c.params), c.want)
	}
}

func TestOnlyReadableResourcesCanBeSubscribedTo(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	is.Equal(s.call("resources/subscribe", `{"uri":"x://y"}`), `"result":{}`)
	is.Equal(s.call("resources/subscribe", `{"uri":"none://x"}`), `"error":{"code":-32002,"message":"Resource not found"}`)
	is.Equal(s.call("resources/unsubscribe", `{"uri":"x://y"}`), `"result":{}`)
	is.Equal(s.call("resources/unsubscribe", `{"uri":"never://was"}`), `"result":{}`)
}

func TestPromptsAreListedAndReturned(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	is.Equal(s.call("prompts/list", ""), `"result":{"prompts":[`+
		`{"name":"review","title":"Review","arguments":[{"name":"code","title":"Code","required":true},{"name":"lang"}]},`+
		`{"name":"scripted","arguments":[{"name":"a"}]}],"_meta":{"mcpbash/total":2}}`)
	is.Equal(s.call("prompts/get", `{"name":"review","arguments":{"code":"x"}}`), `"result":{"messages":[{"role":"user","content":{"type":"text","text":"map[code:x]"}}],"text":"map[code:x]","arguments":{"code":"x"}}`)
	is.Equal(s.call("prompts/get", `{"name":"review"}`), `"error":{"code":-32602,"message":"invalid params: /arguments/code is missing: the prompt review requires it"}`)
	is.Equal(s.call("prompts/get", `{"name":"review","arguments":{"code":5}}`), `"error":{"code":-32602,"message":"invalid params: /arguments/code must be a string, not a number"}`)
	is.Equal(s.call("prompts/get", `{"name":"none"}`), `"error":{"code":-32602,"message":"Unknown prompt: none"}`)
	is.True(strings.HasPrefix(s.call("prompts/get", `{}`), `"error":{"code":-32602,`))
}

func TestArgumentsAreCompleted(t *testing.T) {
	ask := func(ref, argument string) string {
		return newServer(t, nil).call("completion/complete", `{"ref":`+ref+`,"argument":`+argument+`}`)
	}
	const review, scripted = `{"type":"ref/prompt","name":"review"}`, `{"type":"ref/prompt","name":"scripted"}`
	for _, c := range []struct{ ref, argument, want string }{
		{review, `{"name":"lang","value":""}`, `"result":{"completion":{"values":["go","Rust","cargo"],"total":3,"hasMore":false}}`},
		{review, `{"name":"lang","value":"R"}`, `"result":{"completion":{"values":["Rust","cargo"],"total":2,"hasMore":false}}`}, // matching prefixes first
		{review, `{"name":"zzz","value":""}`, `"result":{"completion":{"values":[],"total":0,"hasMore":false}}`},
		{review, `{"name":"lang","value":""},"limit":9`, `"result":{"completion":{"values":["go","Rust","cargo"],"total":3,"hasMore":false}}`},
		{review, `{"name":"lang","value":""},"cursor":"x"`, `"error":{"code":-32602,"message":"Invalid cursor"}`},
		{`{"type":"ref/resource","uri":"notes://{id}"}`, `{"name":"id","value":""}`, `"result":{"completion":{"values":[],"total":0,"hasMore":false}}`},
		{`{"type":"ref/prompt","name":"none"}`, `{"name":"a","value":""}`, `"error":{"code":-32602,"message":"Unknown prompt: none"}`},
		{`{"type":"ref/resource","uri":"none://{x}"}`, `{"name":"x","value":""}`, `"error":{"code":-32602,"message":"Unknown resource template: none://{x}"}`},
		{`{"type":"ref/tool"}`, `{"name":"a","value":""}`, `"error":{"code":-32602,"message":"invalid params: /ref/type \"ref/tool\" is neither ref/prompt nor ref/resource"}`},
		{review, `{"value":""}`, `"error":{"code":-32602,"message":"invalid params: /argument/name is missing"}`},
	} {
		is := is.New(t)
		is.Equal(ask(c.ref, c.argument), c.want) // CM-01 to CM-07
	}
}

func TestCompletionsComeInPages(t *testing.T) {
	is := is.New(t)
	s := newServer(t, nil)
	page := func(prompt, argument, value, more string) (values []string, next string, hasMore bool) {
		var answer struct {
			Completion struct {
				Values     []string
				HasMore    bool
				NextCursor string
			}
		}
		text, ok := strings.CutPrefix(s.call("completion/complete",
			`{"ref":{"type":"ref/prompt","name":"`+prompt+`"},"argument":{"name":"`+argument+`","value":"`+value+`"}`+more+`}`), `"result":`)
		if !ok {
			return nil, text, false
		}
		is.NoErr(json.Unmarshal([]byte(text), &answer))
		return answer.Completion.Values, answer.Completion.NextCursor, answer.Completion.HasMore
	}
	values, next, more := page("review", "lang", "", `,"limit":2`)
	is.Equal(values, []string{"go", "Rust"})
	is.True(more)
	values, end, more := page("review", "lang", "", `,"limit":2,"cursor":"`+next+`"`)
	is.Equal(values, []string{"cargo"})
	is.True(!more && end == "")
	_, refused, _ := page("review", "lang", "r", `,"cursor":"`+next+`"`)
	is.Equal(refused, `"error":{"code":-32602,"message":"Invalid cursor"}`) // of another value
	_, refused, _ = page("scripted", "a", "", `,"cursor":"`+next+`"`)
	is.Equal(refused, `"error":{"code":-32602,"message":"Invalid cursor"}`) // of another prompt
	_, next, more = page("scripted", "a", "", "")
	is.True(more)
	next, err := offsetIn(next)
	is.NoErr(err)
	is.Equal(next, "100") // a script is asked for as many as an answer can have
}

// offsetIn returns the offset in a cursor, which is opaque to clients.
func offsetIn(cursor string) (string, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	var c struct{ Offset int }
	err = errors.Join(err, json.Unmarshal(text, &c))
	return fmt.Sprint(c.Offset), err
}
