package sdk

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// sample answers mcp_sample: PROMPT [--system TEXT] [--max-tokens N] [--temperature N]
// [--model HINT] [--timeout SECONDS] [--json]. It asks the client's model and prints what
// it says, or the whole result.
func (c *Channel) sample(ctx context.Context, args []string) answer {
	g, err := spec{"--system": 1, "--max-tokens": 1, "--temperature": 1, "--model": 1, "--timeout": 1, "--json": 0}.parse(args, 1)
	switch {
	case err != nil:
		return trouble(1, "%v", err)
	case arg(g.args, 0) == "":
		return trouble(1, "what is the prompt?")
	}
	text := object{{"type", quote(nil, "text")}, {"text", quote(nil, g.args[0])}}
	message := object{{"role", quote(nil, "user")}, {"content", text.append(nil)}}
	params := object{
		{"messages", jsontext.Value("[" + string(message.append(nil)) + "]")},
		{"maxTokens", jsontext.Value("1000")},
	}
	if s, ok := g.value("--system"); ok {
		params = params.with("systemPrompt", quote(nil, s))
	}
	if hint, ok := g.value("--model"); ok {
		hints := "[" + string(object{{"name", quote(nil, hint)}}.append(nil)) + "]"
		params = params.with("modelPreferences", object{{"hints", jsontext.Value(hints)}}.append(nil))
	}
	for _, o := range []struct{ option, name string }{{"--max-tokens", "maxTokens"}, {"--temperature", "temperature"}} {
		if text, given := g.value(o.option); given {
			n, ok := number(text)
			if !ok {
				return trouble(1, "%s %q is not a number", o.option, text)
			}
			params = params.with(o.name, jsontext.Value(n))
		}
	}
	timeout, ok := g.value("--timeout")
	if !ok {
		timeout = "60"
	}
	result, err := c.ask(ctx, "sampling/createMessage", params, timeout)
	if err != nil {
		return trouble(1, "%v", err)
	}
	if g.has("--json") {
		v, _ := compact(string(result))
		return print(string(v))
	}
	return print(spoken(jsontext.Value(result)))
}

// spoken returns the text of what the model says: content is a block or several (SA-05).
func spoken(result jsontext.Value) string {
	o, _ := parseObject(result)
	blocks, ok := parseArray(o.get("content"))
	if !ok {
		blocks = []jsontext.Value{o.get("content")}
	}
	var texts []string
	for _, b := range blocks {
		block, _ := parseObject(b)
		if s, ok := block.text("text"); ok {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}
