package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// toolNames completes the names of tools.
func (p program) toolNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	root, err := p.project()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	opened, err := project.Open(root, project.Options{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	tools, _ := opened.Tools(context.Background()) // empty if they cannot be listed
	return namesOf(tools.Items), cobra.ShellCompDirectiveNoFileComp
}

func namesOf(tools []*project.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

// toolHint suggests the tool that may be meant by an unknown name.
func toolHint(tools []*project.Tool, name string) string {
	const most = 10 // names listed
	names := namesOf(tools)
	switch meant := suggest.Of(name, names); {
	case meant != "":
		return "did you mean " + meant + "?"
	case len(names) == 0:
		return "the project has none; `mcp-bash scaffold tool NAME` makes one"
	case len(names) > most:
		return "there are " + strings.Join(names[:most], ", ") + " and others"
	}
	return "there is " + strings.Join(names, ", ")
}
