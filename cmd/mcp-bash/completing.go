package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
)

// Shell completions: the words that shells offer while a command line is typed.

const noFiles = cobra.ShellCompDirectiveNoFileComp

// offers returns the words that list finds in the project, as completions. Where something cannot be read, there are
// none.
func (p program) offers(list func(*catalog.Project) []string) ([]string, cobra.ShellCompDirective) {
	root, err := p.project()
	if err != nil {
		return nil, noFiles
	}
	opened, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		return nil, noFiles
	}
	words := list(opened)
	if slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(word, "=") }) { // values follow
		return words, noFiles | cobra.ShellCompDirectiveNoSpace
	}
	return words, noFiles
}

// completeTools offers tools.
func (p program) completeTools(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return p.offers(func(opened *catalog.Project) []string {
		tools, _ := opened.Tools(context.Background()) // empty if they cannot be listed
		return namesOf(tools.Items)
	})
}

// completeCall offers tools, then the arguments of the tool.
func (p program) completeCall(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return p.completeTools(cmd, args, typed)
	}
	return p.offers(func(opened *catalog.Project) (words []string) {
		tools, _ := opened.Tools(context.Background())
		at := slices.IndexFunc(tools.Items, func(t *catalog.Tool) bool { return t.Name == args[0] })
		var schema struct{ Properties map[string]json.RawMessage }
		if at < 0 || json.Unmarshal(tools.Items[at].InputSchema, &schema) != nil {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			words = append(words, name+"=")
		}
		return words
	})
}

// completeResources offers URIs.
func (p program) completeResources(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return p.offers(func(opened *catalog.Project) (uris []string) {
		resources, _ := opened.Resources(context.Background())
		for _, r := range resources.Items {
			if len(args) == 0 {
				uris = append(uris, r.URI)
			}
		}
		return uris
	})
}

// completePrompts offers prompts, then the arguments of the prompt. For
// `complete` each word is PROMPT.ARGUMENT.
func (p program) completePrompts(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return p.offers(func(opened *catalog.Project) (words []string) {
		prompts, _ := opened.Prompts(context.Background())
		for _, prompt := range prompts.Items {
			if cmd.Name() == "get" && len(args) == 0 {
				words = append(words, prompt.Name)
				continue
			}
			for _, arg := range prompt.Arguments {
				switch {
				case cmd.Name() == "complete" && len(args) == 0:
					words = append(words, prompt.Name+"."+arg.Name)
				case cmd.Name() == "get" && prompt.Name == args[0]:
					words = append(words, arg.Name+"=")
				}
			}
		}
		return words
	})
}

func namesOf(tools []*catalog.Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}
