package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/docs"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

func docsCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "docs [PAGE]",
		Short: "List the pages of the documentation, or show one",
		Long: `Docs lists the pages of the documentation that belongs to this version. With the name of a
page, it shows that page: on a terminal as wide as that, elsewhere, such as in a pipe, the
Markdown as it is.`,
		Example: `  mcp-bash docs
  mcp-bash docs tutorial
  mcp-bash docs sdk | grep -n elicit`,
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				p.listPages()
				return nil
			}
			name, err := findPage(args[0])
			if err != nil {
				return err
			}
			return p.showPage(name)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, noFiles
			}
			names := pageNames()
			if typed == strings.ToLower(typed) { // shells only offer what begins with what was typed, in the same case
				names = strings.Fields(strings.ToLower(strings.Join(names, " ")))
			}
			return names, noFiles
		},
	}
}

func pageNames() (names []string) {
	for _, page := range docs.Pages() {
		names = append(names, page.Name)
	}
	return names
}

func (p program) listPages() {
	c, all := p.console(p.out), docs.Pages()
	for len(all) > 0 {
		section := all[0].Section
		var rows [][]string
		for ; len(all) > 0 && all[0].Section == section; all = all[1:] {
			rows = append(rows, []string{strings.ToLower(all[0].Name), strings.ReplaceAll(all[0].About, "`", "")})
		}
		c.Say("%s:", section)
		c.Table(rows)
		c.Say("")
	}
	c.Say("show one:\n  mcp-bash docs tutorial")
}

// findPage finds a page by its name in upper or lower case, with or without .md.
func findPage(typed string) (string, error) {
	names := pageNames()
	upper := strings.TrimSuffix(strings.ToUpper(typed), ".MD")
	if slices.Contains(names, upper) {
		return upper, nil
	}
	meant := suggest.Meant(upper, names)
	for i, name := range meant {
		meant[i] = "`mcp-bash docs " + strings.ToLower(name) + "`"
	}
	hint := cmp.Or(suggest.Question(meant...), "`mcp-bash docs` lists them")
	return "", console.Usagef("unknown page %q; %s", typed, hint)
}

func (p program) showPage(name string) error {
	text, err := docs.Read(name)
	if err != nil {
		return err
	}
	if !isTerminal(p.out) {
		_, err := io.WriteString(p.out, text)
		return err
	}
	p.console(p.out).Markdown(text)
	return nil
}
