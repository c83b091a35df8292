package ask

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// Get gets a prompt and prints its messages.
func (a *Client) Get(ctx context.Context, prompt string, arguments map[string]any) error {
	var r struct {
		Messages []struct {
			Role    string
			Content block
		}
	}
	params := map[string]any{"name": prompt, "arguments": arguments}
	if err := a.ask(ctx, "prompts/get", params, "the prompt "+prompt, &r); err != nil {
		return a.suggestPrompt(ctx, prompt, err)
	}
	for _, m := range r.Messages {
		a.Write(m.Role + ":")
		a.Write(m.Content.text())
	}
	return nil
}

// suggestPrompt returns the error for a prompt, or an error that suggests the prompt that may be meant:
// the name may be mistyped, or lack what precedes the last dot, as in explain for prompt.explain.
func (a *Client) suggestPrompt(ctx context.Context, prompt string, refusal error) error {
	prompts, err := a.items(ctx, "prompts")
	if _, exists := prompts[prompt]; err != nil || exists { // something else was refused
		return refusal
	}
	names := slices.Sorted(maps.Keys(prompts))
	meant := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasSuffix(name, "."+prompt) })
	if near := suggest.Of(prompt, names); len(meant) == 0 && near != "" {
		meant = []string{near}
	}
	if len(meant) == 0 {
		return refusal
	}
	return console.Usagef("no prompt is called %q; %s", prompt, suggest.Question(meant...))
}
