package main

import (
	"bufio"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

func initCommand(p program) *cobra.Command {
	var name string
	var noHello, asJSON, yes bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make the current folder a project",
		Long: `Init adds what the current folder, or that of -C, lacks to be a project: the name of the
server (server.d/server.meta.json), .gitignore, .gitattributes, and a tool to try
(tools/hello) if it has no tools. Of existing files only .gitignore is changed: it gets the
lines that it lacks. So running it again is safe.

It lists the scripts in the folder and in its scripts/ and bin/ that mcp-bash adopt can turn
into tools, and at a terminal asks whether to adopt them; --yes adopts them all.`,
		Example: `  mcp-bash init
  mcp-bash init --name weather --no-hello
  mcp-bash init --yes`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := p.folder()
			if err != nil {
				return err
			}
			scripts := root.All(adopt.Candidates(root.Path))
			plan, err := scaffold.Init(root.Path, name, !noHello)
			if err != nil {
				return err
			}
			if err := p.makesBeside(plan, root, asJSON, scripts); err != nil || len(scripts) == 0 {
				return err
			}
			return p.offer(root, scripts, yes, asJSON)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`name` of the server (default: that of the folder)")
	cmd.Flags().BoolVar(&noHello, "no-hello", false, "without the tool hello")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "adopt the scripts that are there")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was made as JSON, and adopt nothing")
	cmd.MarkFlagsMutuallyExclusive("yes", "json")
	return cmd
}

// offer makes tools from scripts if the user agrees, or else prints how to do that.
func (p program) offer(at scaffold.Place, scripts []string, yes, asJSON bool) error {
	if asJSON {
		return nil
	}
	out := p.console(p.out)
	out.Say("\n%s could be tools: %s", console.Count(len(scripts), "script"), strings.Join(scripts, ", "))
	a := adoption{program: p, yes: true} // the question was asked here already
	if !yes && isTerminal(p.in) {
		a.answers = bufio.NewReader(p.in)
		answer, ok := a.ask(out, "adopt them? [y/N]: ")
		yes, a.answers = ok && strings.HasPrefix(strings.ToLower(answer), "y"), nil
	}
	if !yes {
		command := []string{"mcp-bash", "adopt"}
		if at.Named {
			command = []string{"mcp-bash", "-C", at.From, "adopt"}
		}
		for _, script := range scripts {
			command = append(command, console.Quote(script))
		}
		out.Hint("%s", strings.Join(command, " "))
		return nil
	}
	out.Say("")
	return a.all(at, scripts)
}
