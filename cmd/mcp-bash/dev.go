package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dev"
)

func devCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	var inspector bool
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Try a project by hand while you write it",
		Long: `Serve the project to you: type the name of a tool with its arguments, as for
mcp-bash call, and see what a client would get. Logs, progress and questions of tools
and what they write to stderr are shown as they come, and so are edits of the project:
what lists have gained and lost, and what of the project is broken.

` + dev.Help() + `
A value is text, unless the tool's schema gives it another type; one with blanks
is written 'in quotes' or "in quotes", and after := it is JSON, which needs none. The tab
key completes names, arguments and listed values, the arrow keys bring back earlier lines. Ctrl-c
cancels the call that runs, or empties the line; on an empty one it ends, as ctrl-d does.

Where stdin is not a terminal, each of its lines is a command, or the answer to a question
of the tool that runs; lines that begin with # are left out. Results go to stdout, all
else to stderr, and the exit code is 1 if a command has failed.`,
		Example: `  mcp-bash dev
  echo 'resize file=photo.png width=800' | mcp-bash dev --json
  mcp-bash dev --inspector`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if words, err := a.words(cmd, args, 0, -1, ""); err != nil {
				return err
			} else if len(words) > 0 {
				return wrongWord(cmd, words[0])
			}
			if inspector {
				_, entry, err := p.server()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(p.out, clients.Inspector(entry))
				return err
			}
			return p.dev(&a)
		},
	}
	a.flags(cmd)
	cmd.Flags().Lookup("json").Usage = "print results as JSON, until \"raw off\" is typed"
	cmd.Flags().BoolVar(&inspector, "inspector", false, "print the command that opens the project in the MCP Inspector")
	return cmd
}

// dev runs an interactive session with the server of a client command.
func (p program) dev(a *clientCommand) error {
	d := &dev.Session{
		Client: &a.Client, Stdin: p.in, Stdout: p.out, Stderr: p.err, Colour: p.env["NO_COLOR"] == "",
		Interactive: isTerminal(p.in) && isTerminal(p.out) && p.env["TERM"] != "dumb",
	}
	if isTerminal(p.out) {
		d.Columns = func() int { return columns(p.out) }
	}
	a.streams = true
	a.Printer = func() *console.Console { return p.console(p.out) }
	ended, failed, err := d.Run(func(ctx context.Context) (io.Closer, error) {
		err := a.open(ctx)
		return a.session, err
	})
	switch {
	case ended:
		p.exit(interrupted)
	case failed:
		p.exit(1)
	}
	return err
}
