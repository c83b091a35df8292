package main

import (
	"cmp"
	"fmt"
	"io"
	"os/exec"
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
page, it shows that page: on a terminal as wide as that, and through $PAGER if that is set;
elsewhere, such as in a pipe, the Markdown as it is.`,
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
				for i, name := range names {
					names[i] = strings.ToLower(name)
				}
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
	c, section := p.console(p.out), ""
	var rows [][]string
	flush := func() {
		if rows != nil {
			c.Say("%s:", section)
			c.Table(rows)
			c.Say("")
		}
		rows = nil
	}
	for _, page := range docs.Pages() {
		if page.Section != section {
			flush()
			section = page.Section
		}
		rows = append(rows, []string{strings.ToLower(page.Name), strings.ReplaceAll(page.About, "`", "")})
	}
	flush()
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
	if p.env["PAGER"] == "" {
		p.console(p.out).Markdown(text)
		return nil
	}
	var shown strings.Builder
	console.New(&shown, p.live(p.out) && p.env["NO_COLOR"] == "").Fit(func() int { return columns(p.out) }).Markdown(text)
	return p.page(shown.String())
}

// page shows a text in the user's pager, which may exit before it has read everything.
func (p program) page(text string) error {
	argv := strings.Fields(p.env["PAGER"])
	if shell, err := exec.LookPath("sh"); err == nil {
		argv = []string{shell, "-c", p.env["PAGER"]} // a command line, as for man and git
	}
	pager := exec.Command(argv[0], argv[1:]...)
	pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), p.out, p.err
	pager.Env = p.environ
	if _, set := p.env["LESS"]; !set {
		pager.Env = append(slices.Clip(p.environ), "LESS=FRX") // colours; exit at once if the text fits on the screen
	}
	if err := pager.Run(); err != nil {
		return fmt.Errorf("the pager %s: %w; without PAGER, pages are printed", p.env["PAGER"], err)
	}
	return nil
}
