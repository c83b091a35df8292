package main

import (
	"path"
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
(tools/hello) if it has neither tools nor scripts. Of existing files only .gitignore is changed: it gets the
lines that it lacks. So running it again is safe.

It lists the scripts in the folder and in its scripts/ and bin/ that mcp-bash adopt can turn
into tools, what it leaves out and why, and scripts with lines that delete or send something:
models will be able to call them. At a terminal it asks whether to adopt them; --yes adopts all.`,
		Example: `  mcp-bash init
  mcp-bash init --name weather --no-hello
  mcp-bash init --yes`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := p.folder()
			if err != nil {
				return err
			}
			var scripts []string
			for _, f := range adopt.Folder(root.Path) {
				if f.Why == "" {
					scripts = append(scripts, f.Path)
				}
			}
			plan, err := scaffold.Init(root.Path, name, !noHello && len(scripts) == 0)
			if err != nil {
				return err
			}
			if len(scripts) > 0 { // they come next
				plan.Note, plan.Next = "", nil
			}
			if err := p.makes(plan, root, asJSON, root.All(scripts)...); err != nil || asJSON || len(scripts) == 0 {
				return err
			}
			return p.offer(root, scripts, yes)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`name` of the server (default: that of the folder)")
	cmd.Flags().BoolVar(&noHello, "no-hello", false, "without the tool hello")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "adopt the scripts that are there")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was made as JSON, and adopt nothing")
	cmd.MarkFlagsMutuallyExclusive("yes", "json")
	return cmd
}

// offer makes tools from the scripts of a folder if the user agrees, or else shows what they would be, and how to do
// that.
func (p program) offer(at scaffold.Place, scripts []string, yes bool) error {
	out := p.console(p.out)
	become := "become tools"
	if len(scripts) == 1 {
		become = "become a tool"
	}
	out.Say("\n%s can %s: %s\n", console.Count(len(scripts), "script"), become, strings.Join(at.All(scripts), ", "))
	folder := path.Join(".", at.From)
	a := adoption{program: p, yes: yes, looks: !yes && !isTerminal(p.in)}
	err := a.all(at, []string{folder})
	if a.looks && err == nil {
		out.Say("\nnext:\n  %s", at.Command([]string{"mcp-bash", "adopt", folder}))
	}
	return err
}
