package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// Two pages are made from the program: -update writes them.

func TestTheManualOfCommandsIsWhatTheyAre(t *testing.T) {
	madetest.File(t, "../../docs/CLI.md", manual())
}

func TestTheListOfVariablesIsWhatIsRead(t *testing.T) {
	madetest.File(t, "../../docs/ENVIRONMENT.md", variableList())
}

const cliHead = `# The command line

For users: which commands and flags are there? ` + "`mcp-bash help COMMAND`" + ` prints the same.

Exit codes: 0 for success; 1 for failure; 2 for a wrong call, or a setting that cannot be
used. Other codes are listed with their command.

`

// manual is a page of all commands.
func manual() string {
	root := command(streams{os.Stdin, os.Stdout, os.Stderr}, nil, func(int) {})
	root.InitDefaultCompletionCmd()
	var b strings.Builder
	b.WriteString(cliHead)
	b.WriteString("| command | |\n|---|---|\n")
	commands := leaves(root)
	for _, c := range commands {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	b.WriteString("\nEvery command takes:\n\n```\n" + root.PersistentFlags().FlagUsages() + "```\n")
	for _, c := range commands {
		describeCommand(&b, c)
	}
	return b.String()
}

// leaves are the commands that do something, in the order of the help.
func leaves(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, child := range c.Commands() {
		switch {
		case child.Name() == "help" || child.Hidden:
		case child.HasSubCommands():
			all = append(all, leaves(child)...)
		default:
			all = append(all, child)
		}
	}
	return all
}

func describeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", c.CommandPath())
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	if c.Parent().Name() == "completion" {
		text = c.Short + "; it says itself how to load it."
	}
	b.WriteString(strings.TrimSpace(text) + "\n")
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "\nAlso: %s.\n", strings.Join(c.Aliases, ", "))
	}
	fmt.Fprintf(b, "\n```\n%s\n", c.UseLine())
	if usages := c.LocalNonPersistentFlags().FlagUsages(); usages != "" {
		b.WriteString("\n" + usages)
	}
	b.WriteString("```\n")
	if c.Example != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", c.Example)
	}
}

const environmentHead = `# Variables

For operators: which variables are there? An invalid value of a variable that restricts ends the start with
exit code 2 and a line that says why; those are marked so. Any other is reported at startup, and the default applies.
A number beyond its bounds counts as the bound. Misspelled names are reported too. Scripts of projects get all other
variables that begin with ` + "`MCPBASH_`" + ` or ` + "`MCP_`" + `; of the server's own variables they get
those that are marked; what ` + "`server.d/env.sh`" + ` of a project may set is marked too.
Switches take true or false, 1 or 0, yes or no, on or off.

## The server

| variable | default | |
|---|---|---|
`

// variableList is a page of all variables.
func variableList() string {
	var b strings.Builder
	b.WriteString(environmentHead)
	row := func(name, fallback, meaning string) {
		if fallback != "" {
			fallback = "`" + fallback + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, fallback, strings.ReplaceAll(meaning, "|", "\\|"))
	}
	for _, v := range operator.Variables(new(operator.Settings)) {
		meaning := v.Meaning
		if older := v.Older(); older != "" {
			meaning += "; if it is not set, `" + older + "`"
		}
		for _, mark := range []struct {
			is   bool
			text string
		}{{v.ForScripts(), "scripts get it too"}, {v.Projects(), "env.sh may set it"}, {v.Restricts(), "restricts"}} {
			if mark.is {
				meaning += " (" + mark.text + ")"
			}
		}
		row(v.Name, v.Fallback, meaning)
	}
	b.WriteString("\n## Other commands, the SDK and scripts\n\n| variable | default | |\n|---|---|---|\n")
	for _, v := range operator.Elsewhere {
		row(v.Name, v.Fallback, v.Meaning)
	}
	b.WriteString("\n[TOOLS.md](TOOLS.md#what-it-gets) lists what a tool gets.\n")
	b.WriteString("\n## Variables of the Bash program without effect\n\n| variable | why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(operator.Obsolete())) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, operator.Obsolete()[name])
	}
	return b.String()
}
