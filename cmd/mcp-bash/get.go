package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

func getCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	cmd := &cobra.Command{
		Use:   "get PROMPT [key=value]...",
		Short: "Get a prompt with its arguments filled in",
		Example: `  mcp-bash get review language=go
  mcp-bash get review language=go --json`,
		Long:              `Get a prompt as a client would and print its messages.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.completePrompts,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := a.words(cmd, args, 1, -1, "the name of a prompt")
			if err != nil {
				return err
			}
			arguments, err := textWords(words[1:])
			if err != nil {
				return usageError{err}
			}
			return a.ask(func(ctx context.Context) error { return a.get(ctx, words[0], arguments) })
		},
	}
	a.flags(cmd)
	return cmd
}

func (a *clientCommand) get(ctx context.Context, prompt string, arguments map[string]any) error {
	result, err := a.session.Call(ctx, "prompts/get", map[string]any{"name": prompt, "arguments": arguments})
	if err != nil {
		return a.suggestPrompt(ctx, prompt, err)
	}
	if a.json {
		return a.raw(result)
	}
	var r struct {
		Messages []struct {
			Role    string
			Content block
		}
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return fmt.Errorf("the prompt %s: %w", prompt, err)
	}
	for _, m := range r.Messages {
		a.write(m.Role + ":")
		a.write(m.Content.text())
	}
	return nil
}

// suggestPrompt returns the error for a prompt, or an error that suggests the prompt that may be meant:
// the name may be mistyped, or lack what precedes the last dot, as in explain for prompt.explain.
func (a *clientCommand) suggestPrompt(ctx context.Context, prompt string, refusal error) error {
	items, err := a.all(ctx, "prompts/list", "prompts")
	if err != nil {
		return refusal
	}
	var names, meant []string
	for _, item := range items {
		var i listItem
		if json.Unmarshal(item, &i) != nil {
			continue
		}
		if i.Name == prompt {
			return refusal // the prompt exists: something else was refused
		}
		names = append(names, i.Name)
		if strings.HasSuffix(i.Name, "."+prompt) {
			meant = append(meant, i.Name)
		}
	}
	if near := suggest.Of(prompt, names); len(meant) == 0 && near != "" {
		meant = []string{near}
	}
	if len(meant) == 0 {
		return refusal
	}
	return usageError{fmt.Errorf("no prompt is called %q; %s", prompt, suggest.Question(meant...))}
}
