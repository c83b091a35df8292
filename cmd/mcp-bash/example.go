package main

import (
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/examples"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

func exampleCommand(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "example [NN|NAME] [FOLDER]",
		Short: "List small projects to learn from, and copy one",
		Long: `Example lists the examples that come with mcp-bash, each a whole project with one new idea
and a README that explains it. With a name, or the number that it begins with, the
example is copied into FOLDER, or into a new folder of its own name here, to be run and
changed.`,
		Example: `  mcp-bash example
  mcp-bash example 04
  mcp-bash example elicitation try`,
		Args: atMost(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.listExamples(asJSON)
			}
			e, err := findExample(args[0])
			if err != nil {
				return err
			}
			folder := e.Name
			if len(args) > 1 {
				folder = args[1]
			}
			return p.copyExample(e, folder, asJSON)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			if len(args) > 1 {
				return nil, noFiles
			}
			return exampleNames(), noFiles
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list, or what was made, as JSON")
	return cmd
}

func exampleNames() []string {
	var names []string
	for _, e := range examples.All() {
		names = append(names, e.Name)
	}
	return names
}

func (p program) listExamples(asJSON bool) error {
	c, all := p.console(p.out), examples.All()
	if asJSON {
		type item struct {
			Name  string `json:"name"`
			Title string `json:"title"`
		}
		items := make([]item, len(all))
		for i, e := range all {
			items[i] = item(e)
		}
		return c.JSON(items)
	}
	rows := make([][]string, len(all))
	for i, e := range all {
		rows[i] = []string{e.Name, strings.ReplaceAll(e.Title, "`", "")}
	}
	c.Table(rows)
	c.Say("\ncopy one into a new folder:\n  mcp-bash example %s", all[0].Name)
	return nil
}

// findExample finds an example by its name, or a part of it such as the number in front.
func findExample(name string) (examples.Example, error) {
	found := examples.Named(strings.TrimSuffix(name, "/"))
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		hint := "`mcp-bash example` lists them"
		if near := suggest.Of(name, exampleNames()); near != "" {
			hint = suggest.Question("`mcp-bash example " + near + "`")
		}
		return examples.Example{}, console.Usagef("unknown example %q; %s", name, hint)
	}
	var meant []string
	for _, e := range found {
		meant = append(meant, e.Name)
	}
	return examples.Example{}, console.Usagef("%q is ambiguous: it could be %s; type more of the name",
		name, strings.Join(meant, " or "))
}

// copyExample copies an example into a new or empty folder.
func (p program) copyExample(e examples.Example, folder string, asJSON bool) error {
	if there, err := os.ReadDir(folder); err == nil && len(there) > 0 {
		return console.Usagef("the folder %s is not empty; name another, as in `mcp-bash example %s try`", folder, e.Name)
	}
	plan, err := examplePlan(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { // not writable by others, or the server would not trust its hooks
		return console.UsageError{Err: err}
	}
	at, err := scaffold.PlaceAt(folder, false)
	if err != nil {
		return err
	}
	return p.makes(plan, at, asJSON)
}

// repository is the base for relative links in a copy, which would otherwise be broken.
const repository = "https://github.com/mcp-bash/mcp-bash/blob/main/"

// examplePlan plans the copy of an example, and what to try next.
func examplePlan(e examples.Example) (plan scaffold.Plan, err error) {
	content, err := e.Files()
	if err != nil {
		return plan, err
	}
	var recorded string
	isGo := false
	err = fs.WalkDir(content, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(content, name)
		file := scaffold.File{Path: name, Text: string(text), Executable: strings.HasPrefix(string(text), "#!")}
		if name == "README.md" {
			file.Text = strings.NewReplacer("](../../", "]("+repository, "](../", "]("+repository+"examples/").Replace(file.Text)
		}
		plan.Files = append(plan.Files, file)
		if strings.HasSuffix(name, ".client.ndjson") && recorded == "" {
			recorded = name
		}
		isGo = isGo || strings.HasSuffix(name, ".go")
		return err
	})
	plan.Note = "README.md explains it step by step"
	plan.Next = [][]string{{"cd", "."}}
	if isGo {
		plan.Note += "\nIt is a Go program: it needs a checkout of mcp-bash, or a module of its own\n" +
			"(go mod init example, go get github.com/mcp-bash/mcp-bash/v2)"
	}
	if recorded == "" {
		return plan, err
	}
	plan.Next = append(plan.Next, []string{"mcp-bash", "list"}, []string{"mcp-bash", "replay", recorded})
	return plan, err
}
