package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func completeCommand(p program) *cobra.Command {
	return p.asks(&cobra.Command{
		Use:   "complete PROMPT.ARG [VALUE] [key=value]...",
		Short: "Ask for completions of an argument",
		Long: `Ask, as a client does while its user types, what an argument of a prompt can be, or a
variable of a template of resources. Arguments that are known already follow as
key=value.`,
		Example: `  mcp-bash complete review.language g
  mcp-bash complete 'file:///logs/{day}.day' 2026-`,
		ValidArgsFunction: p.completePrompts,
	}, 1, -1, "PROMPT.ARG", func(a *clientCommand, words []string) (func(context.Context) error, error) {
		at := strings.LastIndex(words[0], ".")
		if at <= 0 || at == len(words[0])-1 {
			return nil, console.Usagef("%q is not PROMPT.ARG, as in review.language", words[0])
		}
		value, rest := "", words[1:]
		if len(rest) > 0 {
			value, rest = rest[0], rest[1:]
		}
		known, err := ask.ParseTexts(rest)
		return func(ctx context.Context) error {
			return a.Complete(ctx, words[0][:at], words[0][at+1:], value, known)
		}, err
	})
}
