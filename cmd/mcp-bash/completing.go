package main

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// Shell completions: the words that shells offer while a command line is typed. Where
// something cannot be read, nothing is offered.

// opened opens the project for completions.
func (p program) opened() *project.Project {
	root, err := p.project()
	if err != nil {
		return nil
	}
	opened, err := project.Open(root, project.Options{})
	if err != nil {
		return nil
	}
	return opened
}

const noFiles = cobra.ShellCompDirectiveNoFileComp

// completeTools offers tools.
func (p program) completeTools(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	opened := p.opened()
	if opened == nil {
		return nil, noFiles
	}
	tools, _ := opened.Tools(context.Background()) // empty if they cannot be listed
	return namesOf(tools.Items), noFiles
}

// completeCall offers tools, then the arguments of the tool.
func (p program) completeCall(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	opened := p.opened()
	switch {
	case opened == nil:
		return nil, noFiles
	case len(args) == 0:
		return p.completeTools(cmd, args, typed)
	}
	tools, _ := opened.Tools(context.Background())
	for _, t := range tools.Items {
		if t.Name != args[0] {
			continue
		}
		var schema struct{ Properties map[string]json.RawMessage }
		if json.Unmarshal(t.InputSchema, &schema) != nil {
			break
		}
		var keys []string
		for name := range schema.Properties {
			keys = append(keys, name+"=")
		}
		slices.Sort(keys)
		return keys, noFiles | cobra.ShellCompDirectiveNoSpace
	}
	return nil, noFiles
}

// completeResources offers URIs.
func (p program) completeResources(_ *cobra.Command, args []string, _ string) (uris []string, _ cobra.ShellCompDirective) {
	opened := p.opened()
	if opened == nil || len(args) > 0 {
		return nil, noFiles
	}
	resources, _ := opened.Resources(context.Background())
	for _, r := range resources.Items {
		uris = append(uris, r.URI)
	}
	return uris, noFiles
}

// completePrompts offers prompts, then the arguments of the prompt. For
// `complete` each word is PROMPT.ARGUMENT.
func (p program) completePrompts(cmd *cobra.Command, args []string, _ string) (words []string, _ cobra.ShellCompDirective) {
	opened := p.opened()
	if opened == nil {
		return nil, noFiles
	}
	prompts, _ := opened.Prompts(context.Background())
	for _, prompt := range prompts.Items {
		switch {
		case cmd.Name() == "complete" && len(args) == 0:
			for _, arg := range prompt.Arguments {
				words = append(words, prompt.Name+"."+arg.Name)
			}
		case cmd.Name() == "get" && len(args) == 0:
			words = append(words, prompt.Name)
		case cmd.Name() == "get" && prompt.Name == args[0]:
			for _, arg := range prompt.Arguments {
				words = append(words, arg.Name+"=")
			}
		}
	}
	if len(args) > 0 {
		return words, noFiles | cobra.ShellCompDirectiveNoSpace
	}
	return words, noFiles
}
