package sdk

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTheModelMayUseTools(t *testing.T) {
	is := is.New(t)
	c, asked := answering(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}],"model":"m","stopReason":"toolUse"}`, nil)
	c.call.Supports = having("sampling", "sampling.tools")
	const begin = `sampling/createMessage {"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1000`
	is.Equal(c.printed("sample", "x", "--tools", `[ {"name":"t"} ]`, "--json"), `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}],"model":"m","stopReason":"toolUse"}`)
	is.Equal(*asked, begin+`,"tools":[{"name":"t"}]}`)
	is.Equal(c.printed("sample", "x", "--tools", "[]", "--tool-choice", "required"), "") // it is silent
	is.Equal(*asked, begin+`,"tools":[],"toolChoice":{"mode":"required"}}`)
	c.printed("sample", "x", "--tool-choice", `{"mode":"none"}`)
	is.Equal(*asked, begin+`,"toolChoice":{"mode":"none"}}`)
	c.printed("sample", "x", "--stop", "END", "--stop", `["a","b c"]`)
	is.Equal(*asked, begin+`,"stopSequences":["END","a","b c"]}`)
	is.Equal(c.printed("sample", "--messages", `[{"role":"user","content":{"type":"text","text":"x"}}]`), "")
	is.Equal(*asked, begin+`}`)

	*asked = ""
	for _, refused := range []struct {
		args []string
		why  string
	}{
		{[]string{"x", "--tools", "{}"}, "the tools are not a JSON array"},
		{[]string{"x", "--tool-choice", "any"}, "the tool choice must be auto, required, none or a JSON object"},
		{[]string{"x", "--messages", "[]"}, "give a prompt or --messages, not both"},
		{[]string{"--messages"}, "--messages needs a value"},
		{[]string{"--messages", "{}"}, "the messages are not a JSON array of at least one message"},
		{[]string{"", "--json"}, "requires a prompt"},
	} {
		is.Equal(c.printed("sample", refused.args...), "code 1: "+refused.why)
	}
	c.call.Supports = having("sampling")
	is.Equal(c.printed("sample", "x", "--tools", "[]"), "code 1: the client's model cannot use tools; check mcp_client_supports sampling.tools first")
	is.Equal(*asked, "") // SA-02
}

func TestMessagesAreOneJSONArray(t *testing.T) {
	is := is.New(t)
	for _, text := range []string{"", "[]", "{}", `[{"role":"user","content":{"type":"text","text":"x"}}] x`} {
		_, err := checkMessages(text)
		is.True(err != nil)
		is.Equal(err.Error(), "the messages are not a JSON array of at least one message")
	}
}

func TestToolUsesOfTheModelMustBeAnswered(t *testing.T) {
	user := func(content string) string { return `{"role":"user","content":` + content + `}` }
	model := func(content string) string { return `{"role":"assistant","content":` + content + `}` }
	const text = `{"type":"text","text":"x"}`
	const use, result = `{"type":"tool_use","id":"1"}`, `{"type":"tool_result","toolUseId":"1"}`
	for _, test := range []struct {
		messages []string
		want     string
	}{
		{[]string{user(text), model("[" + text + "," + use + "]"), user(result)}, ""},
		{[]string{user(text), model(use), user("[" + result + "]"), model(text), user(text)}, ""},
		{[]string{user(text), model(use)}, "the tools used last have no results: [1]"},
		{[]string{model(use), user(text)}, "message 1 must have exactly the results of the tools used before it: [1]"},
		{[]string{model(use), user("[" + result + "," + text + "]")}, "message 1 mixes results of tools with other content"},
		{[]string{user(result)}, "message 0 must have exactly the results of the tools used before it: []"},
		{[]string{user(use)}, "message 0: only the assistant can use tools, only the user can have their results"},
		{[]string{model(result)}, "message 0: only the assistant can use tools, only the user can have their results"},
		{[]string{user("[]")}, "message 0 has no content"},
		{[]string{`{"role":"system","content":` + text + `}`}, "message 0: the role must be user or assistant"},
		{[]string{"7"}, "message 0: the role must be user or assistant"},
	} {
		is := is.New(t)
		conversation := "[" + strings.Join(test.messages, ",") + "]"
		v, err := checkMessages(conversation)
		if test.want == "" {
			is.NoErr(err)
			is.Equal(string(v), conversation)
			continue
		}
		is.Equal(err.Error(), test.want) // SA-04
	}
}
