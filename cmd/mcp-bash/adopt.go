package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

func adoptCommand(p program) *cobra.Command {
	a := adoption{program: p}
	cmd := &cobra.Command{
		Use:   "adopt PATH...",
		Short: "Make tools of scripts and programs that you have",
		Long: `Adopt reads how a script takes its options and arguments, and writes tools/NAME/ with a
copy of it and metadata whose argv hands the arguments of a call to it, each as one word
and never through a shell. The script need not know of MCP, and is not changed. A name
without a slash that is not a file here is a program on the PATH, such as rg.

Scripts are read, not run. Adopt understands usage text wherever it stands; in shell scripts
getopts, options in case, $1, ${2:-x}, "$@" and shift; argparse, optparse, click and sys.argv
of Python; Getopt::Long of Perl, optparse of Ruby, commander, yargs and parseArgs of Node;
awk, and what reads the standard input. The usage decides the arguments without a dash, the
code the options; where they disagree, it says so. It shows what it understood, with the
line, and what it did not. With --run-help it runs the program with --help, and reads what
that prints as well.

At a terminal adopt asks for what it cannot know, and before it writes; --yes asks nothing.
Existing files are not changed. A script that is already in tools/ gets its metadata beside it,
and one that uses files in its own folder is run where it is, as with --in-place. Variables,
programs and interpreters that a script needs and the tool would not have are named.`,
		Example: `  mcp-bash adopt ~/bin/backup.sh report.py
  mcp-bash adopt scripts/deploy --in-place
  mcp-bash adopt rg --run-help --name search`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usagef("adopt requires a script or a program, as in\n%s", cmd.Example)
			}
			if a.name != "" && len(args) > 1 {
				return console.Usagef("--name is for one tool; adopt them one by one")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := p.project()
			if err != nil {
				return err
			}
			at, err := scaffold.PlaceAt(root, *p.projectRoot != "")
			if err != nil {
				return err
			}
			return a.all(at, args)
		},
	}
	cmd.Flags().StringVar(&a.name, "name", "", "`name` of the tool (default: that of the file)")
	cmd.Flags().BoolVar(&a.inPlace, "in-place", false, "refer to the script where it is, instead of a copy")
	cmd.Flags().BoolVar(&a.runHelp, "run-help", false, "run it with --help, and read what it prints")
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "ask nothing")
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print what was understood and made for programs; asks nothing")
	return cmd
}

// An adoption makes tools from existing scripts and programs.
type adoption struct {
	program
	name                          string
	inPlace, runHelp, yes, asJSON bool

	answers *bufio.Reader // nil: no questions are asked
}

// adoptResult is the result for one script, as JSON.
type adoptResult struct {
	Source    string           `json:"source"`
	Name      string           `json:"name"`
	Error     string           `json:"error,omitempty"`
	Created   []string         `json:"created"`
	Arguments []adopt.Argument `json:"arguments"`
	Doubts    []adopt.Doubt    `json:"doubts"`
}

// all adopts the paths in order. A path that cannot be adopted does not stop the others.
func (a *adoption) all(at scaffold.Place, paths []string) error {
	if isTerminal(a.in) && !a.yes && !a.asJSON {
		a.answers = bufio.NewReader(a.in)
	}
	out := a.console(a.out)
	results := []adoptResult{}
	var failed error
	for i, path := range paths {
		if i > 0 && !a.asJSON {
			out.Say("")
		}
		result, err := a.adopt(out, at, path)
		if err != nil {
			result.Error, failed = err.Error(), err
			if len(paths) > 1 && !a.asJSON {
				a.complain("%s: %v", path, err)
			}
		}
		results = append(results, result)
	}
	if a.asJSON {
		if err := out.JSON(map[string]any{"tools": results}); err != nil {
			return err
		}
	}
	if failed != nil && len(paths) > 1 && !a.asJSON {
		return reportedError{failed}
	}
	return failed
}

// adopt adopts a script or a program.
func (a *adoption) adopt(out *console.Console, at scaffold.Place, path string) (adoptResult, error) {
	result := adoptResult{Source: path, Created: []string{}, Arguments: []adopt.Argument{}, Doubts: []adopt.Doubt{}}
	s, reading, err := adopt.Open(path, a.environ, a.inPlace)
	if err == nil && a.runHelp {
		err = a.help(s, &reading)
	}
	if err != nil {
		return result, err
	}
	name := a.name
	if name == "" {
		name = s.Suggested()
	}
	if result.Name = name; name == "" {
		return result, console.Usagef("%s has a name that no tool can have; choose one with --name", path)
	}
	a.askNames(out, &reading)
	s.Draft = adopt.NewDraft(reading)
	if s.Draft.Description == "" {
		s.Draft.Description = "Runs " + filepath.Base(path)
	}
	result.Arguments = append(result.Arguments, s.Draft.Arguments...)
	result.Doubts = append(result.Doubts, reading.Doubts...)
	if _, err := s.Plan(at.Path, name); err != nil { // before anybody is asked
		return result, err
	}
	if !a.asJSON {
		show(out, path, s, reading)
	}
	described := reading.Description != ""
	if !described {
		if text, ok := a.ask(out, "\nwhat does it do, and when is it of use? (one sentence for models) [%s]: ",
			s.Draft.Description); ok && text != "" {
			s.Draft.Description, described = text, true
		}
	}
	if text, ok := a.ask(out, "\nmake the tool %s? [Y/n]: ", name); a.answers != nil &&
		(!ok || strings.HasPrefix(strings.ToLower(text), "n")) {
		out.Say("left %s as it is", path)
		return result, nil
	}
	plan, err := s.Plan(at.Path, name)
	if err != nil {
		return result, err
	}
	report, err := write(plan, at)
	if err != nil {
		return result, err
	}
	if result.Created = at.All(report.Created); a.asJSON {
		return result, nil
	}
	out.Say("")
	for _, f := range result.Created {
		out.OK("created %s", f)
	}
	metadata := result.Created[len(result.Created)-1]
	if !described {
		out.Warn("its own description is only %q: describe in %s what it does, so that models know when to call it",
			s.Draft.Description, metadata)
	}
	out.Say("\nnext:\n  %s\n  %s", at.Command([]string{"mcp-bash", "run-tool", name, "--args", s.Draft.Example()}),
		at.Command([]string{"mcp-bash", "validate"}))
	return result, nil
}

// help runs the program with --help, and adds what it prints to the reading.
func (a *adoption) help(s adopt.Source, r *adopt.Reading) error {
	ctx, stop := untilEnded(context.Background())
	defer stop()
	help, err := s.Help(ctx, a.environ)
	if err == nil {
		r.Complete(help)
	}
	return err
}

// show prints what was understood.
func show(out *console.Console, path string, s adopt.Source, r adopt.Reading) {
	switch {
	case s.Path == "":
		out.Say("%s, a program on the PATH", path)
	default:
		out.Say("%s, as far as it can be read:", path)
	}
	out.Say("  %s", s.Draft.Description)
	rows := [][]string{{"argument", "type", "from", "in argv"}}
	for _, g := range s.Draft.Arguments {
		kind := g.Type
		if g.List {
			kind += "s"
		}
		if g.Required {
			kind += ", required"
		} else if g.Default != "" {
			kind += " = " + g.Default
		}
		from := g.From
		if g.Line > 0 {
			from = fmt.Sprintf("line %d: %s", g.Line, g.From)
		}
		rows = append(rows, []string{g.Name, kind, from, g.Words})
	}
	if len(rows) > 1 {
		out.Table(rows)
	} else {
		out.Say("  it takes no arguments")
	}
	for _, d := range r.Doubts {
		if d.Line > 0 {
			out.Warn("line %d: %s", d.Line, d.Text)
		} else {
			out.Warn("%s", d.Text)
		}
	}
}

// askNames asks for names of the arguments that only have a number.
func (a *adoption) askNames(out *console.Console, r *adopt.Reading) {
	for i := range r.Positions {
		p := &r.Positions[i]
		if !strings.HasPrefix(p.From, "$") || p.Name != fmt.Sprintf("arg%d", i+1) {
			continue
		}
		if text, ok := a.ask(out, "what is %s in line %d? a name for it [%s]: ", p.From, p.Line, p.Name); ok &&
			adopt.ArgumentName(text) != "" {
			p.Name = adopt.ArgumentName(text)
		}
	}
}

// ask asks the user at the terminal; ok is false if no questions are asked, or at the end of input.
func (a *adoption) ask(out *console.Console, format string, args ...any) (text string, ok bool) {
	if a.answers == nil {
		return "", false
	}
	return out.Ask(a.answers, format, args...)
}
