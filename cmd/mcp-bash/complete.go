package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func completeCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	cmd := &cobra.Command{
		Use:   "complete PROMPT.ARG [VALUE] [key=value]...",
		Short: "Ask for completions of an argument",
		Long: `Ask, as a client does while its user types, what an argument of a prompt can be, or a
variable of a template of resources. Arguments that are known already follow as
key=value.`,
		Example: `  mcp-bash complete review.language g
  mcp-bash complete 'file:///logs/{day}.day' 2026-`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.completePrompts,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := a.words(cmd, args, 1, -1, "PROMPT.ARG")
			if err != nil {
				return err
			}
			at := strings.LastIndex(words[0], ".")
			if at <= 0 || at == len(words[0])-1 {
				return usageError{fmt.Errorf("%q is not PROMPT.ARG, as in review.language", words[0])}
			}
			value := ""
			rest := words[1:]
			if len(rest) > 0 {
				value, rest = rest[0], rest[1:]
			}
			known, err := textWords(rest)
			if err != nil {
				return usageError{err}
			}
			return a.ask(func(ctx context.Context) error {
				return a.complete(ctx, words[0][:at], words[0][at+1:], value, known)
			})
		},
	}
	a.flags(cmd)
	return cmd
}

func (a *clientCommand) complete(ctx context.Context, of, argument, value string, known map[string]any) error {
	ref := map[string]any{"type": "ref/prompt", "name": of}
	if strings.Contains(of, ":") {
		ref = map[string]any{"type": "ref/resource", "uri": of}
	}
	params := map[string]any{"ref": ref, "argument": map[string]any{"name": argument, "value": value}}
	if len(known) > 0 {
		params["context"] = map[string]any{"arguments": known}
	}
	result, err := a.session.Call(ctx, "completion/complete", params)
	if err != nil {
		return err
	}
	if a.json {
		return a.raw(result)
	}
	var r struct {
		Completion struct {
			Values  []string
			HasMore bool
		}
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return fmt.Errorf("the completions of %s: %w", of, err)
	}
	for _, v := range r.Completion.Values {
		a.write(v)
	}
	if r.Completion.HasMore {
		console.New(a.rest, false).Hint("there are more")
	}
	return nil
}
