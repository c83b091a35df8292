package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

func getCommand(p program) *cobra.Command {
	a := asking{program: p}
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

func (a *asking) get(ctx context.Context, prompt string, arguments map[string]any) error {
	result, err := a.session.Call(ctx, "prompts/get", map[string]any{"name": prompt, "arguments": arguments})
	if err != nil {
		return err
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
