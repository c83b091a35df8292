package sdk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

var sampleOptions = spec{
	"--messages": 1, "--system": 1, "--max-tokens": 1, "--temperature": 1, "--model": 1, "--stop": 1,
	"--tools": 1, "--tool-choice": 1, "--timeout": 1, "--json": 0,
}

// sample answers mcp_sample: PROMPT [OPTION...], or --messages JSON for the prompt. It asks
// the client's model and prints its text, or the whole result.
func (c *Channel) sample(ctx context.Context, args []string) answer {
	prompts := 1
	if arg(args, 0) == "--messages" {
		prompts = 0
	}
	g, err := sampleOptions.parse(args, prompts)
	if err != nil {
		return helperError(1, "%v", err)
	}
	params, err := g.createMessage()
	if err != nil {
		return helperError(1, "%v", err)
	}
	if (g.has("--tools") || g.has("--tool-choice")) && !c.supports("sampling.tools") {
		return helperError(1, "the client's model cannot use tools; check mcp_client_supports sampling.tools first") // SA-02
	}
	timeout, ok := g.value("--timeout")
	if !ok {
		timeout = "60"
	}
	result, err := c.ask(ctx, "sampling/createMessage", params, timeout)
	if err != nil {
		return helperError(1, "%v", err)
	}
	if g.has("--json") {
		v, _ := compact(string(result))
		return print(string(v))
	}
	return print(modelText(json.Value(result)))
}

func (g given) createMessage() (object, error) {
	messages, err := g.messages()
	if err != nil {
		return nil, err
	}
	params := object{{"messages", messages}, {"maxTokens", json.Value("1000")}}
	if s, ok := g.value("--system"); ok {
		params = params.with("systemPrompt", json.Quote(s))
	}
	if hint, ok := g.value("--model"); ok {
		hints := json.Array([]json.Value{json.Object("name", hint)})
		params = params.with("modelPreferences", json.Object("hints", hints))
	}
	for _, o := range []struct{ option, name string }{{"--max-tokens", "maxTokens"}, {"--temperature", "temperature"}} {
		if text, given := g.value(o.option); given {
			n, ok := number(text)
			if !ok {
				return nil, fmt.Errorf("%s %q is not a number", o.option, text)
			}
			params = params.with(o.name, json.Value(n))
		}
	}
	if stops := g.values("--stop"); stops != nil {
		params = params.with("stopSequences", quoted(flat(stops)))
	}
	if text, ok := g.value("--tools"); ok {
		tools, valid := compact(text)
		if !valid || tools.Kind() != '[' {
			return nil, errors.New("the tools are not a JSON array")
		}
		params = params.with("tools", tools)
	}
	if text, ok := g.value("--tool-choice"); ok {
		if slices.Contains([]string{"auto", "required", "none"}, text) {
			text = `{"mode":"` + text + `"}`
		}
		choice, valid := compact(text)
		if !valid || choice.Kind() != '{' {
			return nil, errors.New("the tool choice must be auto, required, none or a JSON object")
		}
		params = params.with("toolChoice", choice)
	}
	return params, nil
}

// messages returns the messages that were given, or one message of the user with the prompt.
func (g given) messages() (json.Value, error) {
	prompt := arg(g.args, 0)
	text, several := g.value("--messages")
	switch {
	case several && prompt != "":
		return nil, errors.New("give a prompt or --messages, not both")
	case several:
		return checkMessages(text)
	case prompt == "":
		return nil, errors.New("requires a prompt")
	}
	content := json.Object("type", "text", "text", prompt)
	return json.Array([]json.Value{json.Object("role", "user", "content", content)}), nil
}

// flat returns the given texts, with JSON arrays replaced by their items.
func flat(given []string) []string {
	var all []string
	for _, text := range given {
		v, _ := compact(text)
		items := texts(v)
		if items == nil {
			items = []string{text}
		}
		all = append(all, items...)
	}
	return all
}

// modelText returns the text of the model's message (SA-05).
func modelText(result json.Value) string {
	o, _ := parseObject(result)
	var said []string
	for _, b := range blocks(o) {
		if v := b.get("text"); v.Kind() == '"' {
			said = append(said, json.Text(v))
		}
	}
	return strings.Join(said, "\n")
}
