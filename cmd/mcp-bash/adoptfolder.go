package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

// folder adopts the scripts of a folder. A table shows what each file will become, and then another one what to
// look at in each tool, and which could not be made.
func (a *adoption) folder(out *console.Console, at scaffold.Place, path string) (all []*adopted, err error) {
	rows := [][]string{{"file", "tool", "what it does, or why it is left out"}}
	makes := map[string]string{}                          // the files that become tools, by the names of the tools
	left, reasons := map[string][]string{}, []string(nil) // the files that are left out, by why
	for _, f := range adopt.Folder(path) {
		d, err := a.read(filepath.Join(path, filepath.FromSlash(f.Path)), "")
		if err == nil && f.Why == "" {
			_, err = d.Plan(at.Path, d.Tool)
		}
		if all = append(all, d); err != nil {
			f.Why = cmp.Or(f.Why, strings.TrimPrefix(err.Error(), d.Path+" "))
		} else if first := makes[d.Tool]; first != "" && f.Why == "" {
			f.Why = "would have the same name as the tool of " + first + "; adopt it with --name"
		}
		if d.Skipped = f.Why; f.Why != "" {
			if left[f.Why] = append(left[f.Why], f.Path); len(left[f.Why]) == 1 {
				reasons = append(reasons, f.Why)
			}
			continue
		}
		rows = append(rows, []string{f.Path, d.Tool, d.Draft.Description})
		makes[d.Tool] = f.Path
	}
	for _, why := range reasons {
		names := left[why]
		if more := len(names) - 3; more > 1 {
			names = append(names[:3:3], "and "+console.Count(more, "other"))
		}
		rows = append(rows, []string{strings.Join(names, ", "), "–", why})
	}
	if path == "." {
		path = "this folder"
	}
	out.Say("%s, as far as it can be read:", path)
	out.Table(rows)
	for _, d := range all {
		for _, what := range cautions(d.Path) {
			if d.Skipped == "" {
				out.Warn("%s %s", d.From, what)
			}
		}
	}
	if a.looks {
		return all, nil
	}
	if len(makes) == 0 || a.answers != nil && !a.agrees(out, "\nmake %s? [Y/n]: ", console.Count(len(makes), "tool")) {
		out.Say("\nno tools were made")
		return all, nil
	}
	quiet, failed := adoption{program: a.program}, 0
	rows = [][]string{{"tool", "arguments", "to check"}}
	for _, d := range all {
		if d.Skipped != "" {
			continue
		}
		if err := quiet.make(silent, at, d); err != nil {
			d.Error = err.Error()
			failed++
		}
		rows = append(rows, []string{d.Tool, d.taken(), d.toCheck()})
	}
	out.Say("")
	out.Table(rows)
	out.Say("\nnext:\n  %s\n  %s", at.Command([]string{"mcp-bash", "list", "tools"}),
		at.Command([]string{"mcp-bash", "validate"}))
	if failed > 0 {
		err = fmt.Errorf("%s of %d could not be made", console.Count(failed, "tool"), len(makes))
	}
	return all, err
}

// taken lists the arguments of a tool: src, dest?, files...
func (d *adopted) taken() string {
	var names []string
	for _, g := range d.Arguments {
		switch {
		case g.List:
			g.Name += "..."
		case !g.Required:
			g.Name += "?"
		}
		names = append(names, g.Name)
	}
	return strings.Join(names, ", ")
}

// toCheck lists what the user should look at.
func (d *adopted) toCheck() string {
	if d.Error != "" {
		return d.Error
	}
	var all []string
	for _, doubt := range d.Doubts {
		all = append(all, doubt.String())
	}
	if more := len(all) - 3; more > 0 {
		all = append(all[:3], "and "+console.Count(more, "other thing"))
	}
	if d.Description == "" {
		all = append(all, "say in its metadata what it does")
	}
	return strings.Join(all, "; ")
}
