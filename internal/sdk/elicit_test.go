package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

// answering returns a channel whose client gives this answer. The question is stored in asked.
func answering(answer string, err error) (c *Channel, asked *string) {
	asked = new(string)
	return channelOf(Call{Ask: each(func(
		_ context.Context, method string, params json.RawMessage,
	) (json.RawMessage, error) {
		*asked = method + " " + string(params)
		return json.RawMessage(answer), err
	})}), asked
}

func TestAQuestionIsNotTheOptionForAVariable(t *testing.T) {
	for _, op := range []string{
		"elicit 30", "elicit_url 30", "elicit_string 30", "elicit_confirm 30", "elicit_choice 30", "sample",
	} {
		t.Run(op, func(t *testing.T) {
			is := is.New(t)
			c, asked := answering(`{}`, nil)
			name, _, _ := strings.Cut(op, " ")
			is.Equal(c.printed(op, "-v", "answer", "Q?", "a"), "code 1: does not take -v; write answer=$(mcp_"+name+" ...)")
			is.Equal(*asked, "")
		})
	}
}

func TestQuestionsFollowTheProtocol(t *testing.T) {
	const create = `elicitation/create {"message":"Q?","requestedSchema":{"type":"object","properties":{`
	for _, test := range []struct {
		op    string
		args  []string
		asked string
	}{
		{"elicit_string 30", []string{"Q?"}, create + `"value":{"type":"string"}},"required":["value"]}}`},
		{"elicit_string 30", []string{"Q?", "na\"me"}, create + `"na\"me":{"type":"string"}},"required":["na\"me"]}}`},
		{"elicit_confirm 30", []string{"Q?"}, create + `"confirmed":{"type":"boolean"}},"required":["confirmed"]}}`},
		{"elicit_choice 30", []string{"Q?", "a", "b:c"},
			create + `"choice":{"type":"string","enum":["a","b:c"]}},"required":["choice"]}}`},
		{"elicit_titled_choice 30", []string{"Q?", "a:A: x", "b"},
			create + `"choice":{"type":"string","oneOf":[{"const":"a","title":"A: x"},{"const":"b","title":"b"}]}},` +
				`"required":["choice"]}}`},
		{"elicit_multi_choice 30", []string{"Q?", "a", "b"},
			create + `"choices":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["choices"]}}`},
		{"elicit_titled_multi_choice 30", []string{"Q?", "a:A"},
			create + `"choices":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}},"required":["choices"]}}`},
		{"elicit 30", []string{"Q?", `{ "type":"object", "properties":{"n":{"type":"integer","minimum":1}} }`},
			create + `"n":{"type":"integer","minimum":1}}}}`},
	} {
		t.Run(test.op, func(t *testing.T) {
			is := is.New(t)
			c, asked := answering(`{"action":"decline"}`, nil)
			is.Equal(c.printed(test.op, test.args...), `{"action":"decline","content":null}`)
			is.Equal(*asked, test.asked)
		})
	}
	is := is.New(t)
	for _, op := range []struct {
		name string
		args []string
	}{{"elicit_url 30", []string{"Go", "https://e.org/x?a=1"}},
		{"elicit 30", []string{"Go", "https://e.org/x?a=1", "", "url"}}} {
		c, asked := answering(`{"action":"accept","content":{"ignored":1}}`, nil)
		is.Equal(c.printed(op.name, op.args...), `{"action":"accept","content":null}`) // consent has no content
		is.True(regexp.MustCompile(`^elicitation/create \{"mode":"url","message":"Go",` +
			`"url":"https://e.org/x\?a=1","elicitationId":"[A-Z2-7]{26}"}$`).MatchString(*asked))
	}
}

func TestEveryActionIsAnAnswer(t *testing.T) {
	const form = `{"type":"object","properties":{"n":{"type":"integer"},"c":{"type":"string","enum":["x"]},` +
		`"m":{"type":"array","items":{"anyOf":[{"const":"y","title":"Y"}]}},"b":{"type":"boolean"},` +
		`"f":{"type":"number"}},"required":["n"]}`
	misfit := func(why string) string {
		return `{"action":"error","content":null,"reason":"the answer does not match the form: ` + why + `"}`
	}
	for _, test := range []struct {
		answer string
		err    error
		want   string
	}{
		{`{"action":"accept","content":{"n": 1.0, "c":"x", "m":["y"], "b":false, "f":0.5, "extra":1}}`, nil,
			`{"action":"accept","content":{"n":1.0,"c":"x","m":["y"],"b":false,"f":0.5,"extra":1}}`},
		{`{"action":"decline"}`, nil, `{"action":"decline","content":null}`},
		{`{"action":"cancel","content":{"n":1}}`, nil, `{"action":"cancel","content":null}`},
		{`{"action":"accept"}`, nil, misfit("n is missing")},
		{`{"action":"accept","content":{"n":1.5}}`, nil, misfit("n: expected integer, got number 1.5")},
		{`{"action":"accept","content":{"n":"1"}}`, nil, misfit(`n: expected integer, got string \"1\"`)},
		{`{"action":"accept","content":{"n":1,"c":"z"}}`, nil, misfit(`c: expected \"x\", got \"z\"`)},
		{`{"action":"accept","content":{"n":1,"m":["y",2]}}`, nil, misfit(`m: at /1: expected string, got number 2`)},
		{`{"action":"accept","content":{"n":1,"b":null}}`, nil, misfit(`b: expected boolean, got null`)},
		{`{"action":"maybe"}`, nil, `{"action":"error","content":null,"reason":"the client's answer has no action"}`},
		{`7`, nil, `{"action":"error","content":null,"reason":"the client's answer has no action"}`},
		{``, ErrUnsupported, `{"action":"decline","content":null,"reason":"the client does not support it"}`},
		{``, errors.New("rejected \\ \"x\""), `{"action":"error","content":null,"reason":"rejected \\ \"x\""}`},
	} {
		t.Run(test.answer, func(t *testing.T) {
			is := is.New(t)
			c, _ := answering(test.answer, test.err)
			is.Equal(c.printed("elicit 30", "Q?", form), test.want) // the helper returns 0
		})
	}
	is := is.New(t)
	is.Equal(channelOf(Call{}).printed("elicit_confirm 30", "Q?"),
		`{"action":"decline","content":null,"reason":"the client does not support it"}`)
}

func TestAnInvalidQuestionIsRefused(t *testing.T) {
	c, asked := answering(`{}`, nil)
	runOps(t, c, []opTest{
		{"elicit 30", []string{"Q?", `{`}, "code 1: the schema is not JSON"},
		{"elicit 30", []string{"Q?", `{"type":"string"}`}, `code 1: the schema must be {"type":"object","properties":{...}}`},
		{"elicit 30", []string{"Q?", `{"type":"object"}`}, `code 1: the schema has no "properties"`},
		{"elicit 30", []string{"Q?", `{"type":"object","properties":{"a":{"type":"object"}}}`},
			`code 1: property "a": its type must be string, number, integer, boolean, or array for a choice; ` +
				`forms cannot be nested`},
		{"elicit 30", []string{"Q?", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`},
			`code 1: property "a": an array must list its choices in items.enum or items.anyOf`},
		{"elicit 30", []string{"Q?", `{"type":"object","properties":{},"required":["a"]}`},
			`code 1: "a" is required but not a property`},
		{"elicit 30", []string{"Q?", `{}`, "", "fax"}, `code 1: unknown mode "fax"; use form or url`},
		{"elicit 30", []string{"", `{"type":"object","properties":{}}`}, `code 1: the question is empty`},
		{"elicit_url 30", []string{"Q?", "not a url"}, `code 1: "not a url" is not a URL`},
		{"elicit_choice 30", []string{"Q?"}, `code 1: requires at least one choice`},
	})
	is := is.New(t)
	is.Equal(*asked, "") // the client was not asked
}

func TestQuestionsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		asked := make(chan bool, 9)
		c := channelOf(Call{Ask: waitForEver(asked)})
		began := time.Now()
		is.Equal(c.printed("elicit_confirm 30", "Q?"),
			`{"action":"error","content":null,"reason":"timed out waiting for an answer"}`)
		is.Equal(time.Since(began), 30*time.Second) // the default
		began = time.Now()
		c.printed("elicit 30", "Q?", `{"type":"object","properties":{}}`, "2.5")
		is.Equal(time.Since(began), 2500*time.Millisecond) // the message of the helper
		is.Equal(c.printed("elicit 30", "Q?", `{"type":"object","properties":{}}`, "soon"),
			`{"action":"error","content":null,"reason":"\"soon\" is not a number of seconds"}`)

		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("cancelled by the client")) })
		is.Equal(c.do(ctx, "elicit_confirm 30", []string{"Q?"}).value,
			`{"action":"cancel","content":null,"reason":"cancelled by the client"}`)
	})
}

func TestTheModelOfTheClientIsAsked(t *testing.T) {
	is := is.New(t)
	c, asked := answering(`{"role":"assistant","content":{"type":"text","text":"Hi\nthere"},"model":"m"}`, nil)
	is.Equal(c.printed("sample", "Say \"hi\""), "Hi\nthere")
	is.Equal(*asked, `sampling/createMessage {"messages":[{"role":"user","content":{"type":"text",`+
		`"text":"Say \"hi\""}}],"maxTokens":1000}`)
	is.Equal(c.printed("sample", "x", "--json"),
		`{"role":"assistant","content":{"type":"text","text":"Hi\nthere"},"model":"m"}`)
	c.printed("sample", "x", "--system", "be short", "--max-tokens", "5", "--temperature", "0.20", "--model", "small")
	is.Equal(*asked, `sampling/createMessage {"messages":[{"role":"user","content":{"type":"text",`+
		`"text":"x"}}],"maxTokens":5,"systemPrompt":"be short","modelPreferences":{"hints":[{"name":"small"}]},`+
		`"temperature":0.20}`)
	c, _ = answering(`{"content":[{"type":"text","text":"a"},{"type":"tool_use"},{"type":"text","text":"b"}]}`, nil)
	is.Equal(c.printed("sample", "x"), "a\nb") // several blocks
	is.Equal(c.printed("sample", ""), "code 1: requires a prompt")
	is.Equal(c.printed("sample", "x", "--max-tokens", "many"), `code 1: --max-tokens "many" is not a number`)
	is.Equal(channelOf(Call{}).printed("sample", "x"), "code 1: the client does not support it")
	c, _ = answering("", errors.New("User rejected"))
	is.Equal(c.printed("sample", "x"), "code 1: User rejected")
}
