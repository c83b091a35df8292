package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func adoptCommand(p program) *cobra.Command {
	a := adoption{program: p}
	cmd := &cobra.Command{
		Use:   "adopt PATH... | --update NAME...",
		Short: "Make tools of scripts and programs that you have",
		Long: `Adopt reads how a script takes its options and arguments, and writes tools/NAME/ with a
copy of it and metadata whose argv hands the arguments of a call to it, each as one word
and never through a shell. The script need not know of MCP, and is not changed. A name
without a slash that is not a file here is a program on the PATH, such as rg. Of a folder
it takes all scripts, also those in its scripts/ and bin/, and says which it leaves out.

Scripts are read, not run. Adopt understands usage text wherever it stands; in shell scripts
getopts, options in case, $1, ${2:-x}, "$@" and shift; argparse, optparse, click and sys.argv
of Python; Getopt::Long of Perl, optparse of Ruby, commander, yargs and parseArgs of Node;
awk, and what reads the standard input. The usage decides the arguments without a dash, the
code the options; where they disagree, it says so. It shows what it understood, with the
line, and what it did not. With --run-help it runs the program with --help, and reads what
that prints as well; with --commands it runs each subcommand with -h, and makes a tool of it.

At a terminal adopt asks for what it cannot know, and before it writes; --yes asks nothing.
Existing files are not changed. A script that is already in tools/ gets its metadata beside it,
and one that uses files in its own folder is run where it is, as with --in-place. Variables,
programs and interpreters that a script needs and the tool would not have are named. With
--try the new tool is called, and its command line shown.

With --update adopt reads the originals of tools again, which a hidden file beside the metadata
names, and shows what changes. What you have changed in the metadata stays so.`,
		Example: `  mcp-bash adopt ~/bin
  mcp-bash adopt ~/bin/backup.sh report.py
  mcp-bash adopt scripts/deploy --in-place --try '{"version":"1.2"}'
  mcp-bash adopt rg --run-help --name search
  mcp-bash adopt git --run-help --commands status,log,diff
  mcp-bash adopt --update backup`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usagef("adopt requires a script or a program, as in\n%s", cmd.Example)
			}
			if a.name != "" && (len(args) > 1 || len(a.commands) > 1) {
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
			if a.try != "" {
				if a.arguments, err = a.given(a.try); err != nil {
					return fmt.Errorf("--try: %w", err)
				}
			}
			return a.all(at, args)
		},
	}
	cmd.Flags().StringVar(&a.name, "name", "", "`name` of the tool (default: that of the file)")
	cmd.Flags().BoolVar(&a.inPlace, "in-place", false, "refer to the script where it is, instead of a copy")
	cmd.Flags().BoolVar(&a.runHelp, "run-help", false, "run it with --help, and read what it prints")
	cmd.Flags().StringSliceVar(&a.commands, "commands", nil,
		"make a tool of each of these `subcommands`, with commas between")
	cmd.Flags().BoolVar(&a.update, "update", false, "read the originals of these tools again")
	cmd.Flags().StringVar(&a.try, "try", "",
		"call it with these `arguments`, as JSON or key=value, and show its command line")
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "ask nothing")
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print what was understood and made for programs; asks nothing")
	cmd.MarkFlagsMutuallyExclusive("try", "json")
	for _, first := range []string{"name", "in-place", "run-help", "commands", "try", "json"} { // of an adoption
		cmd.MarkFlagsMutuallyExclusive("update", first)
	}
	return cmd
}

// An adoption makes tools from existing scripts and programs.
type adoption struct {
	program
	name, try                     string
	inPlace, runHelp, yes, asJSON bool
	update                        bool            // what is named are tools
	looks                         bool            // only what a folder would become is shown
	arguments                     json.RawMessage // of try
	commands                      []string        // subcommands of a program, of which each becomes a tool

	answers *bufio.Reader // nil: no questions are asked
}

// An adopted is a script or a program, what was read of it, and what it became, as JSON.
type adopted struct {
	adopt.Source `json:"-"`

	From      string           `json:"source"`
	Tool      string           `json:"name"`
	Error     string           `json:"error,omitempty"`
	Skipped   string           `json:"skipped,omitempty"` // why a file of a folder does not become a tool
	Created   []string         `json:"created"`
	Arguments []adopt.Argument `json:"arguments"`
	Unclear   []adopt.Doubt    `json:"doubts"`
}

// silent is the console where only programs read what is printed.
var silent = console.New(io.Discard, false)

// all adopts the paths in order. A path that cannot be adopted does not stop the others.
func (a *adoption) all(at scaffold.Place, paths []string) error {
	if len(a.commands) == 0 {
		a.commands = []string{""} // all of it
	}
	if isTerminal(a.in) && !a.yes && !a.asJSON {
		a.answers = bufio.NewReader(a.in)
	}
	out := a.console(a.out)
	if a.asJSON {
		out = silent
	}
	all := []*adopted{}
	var failed error
	several := len(paths)*len(a.commands) > 1
	fail := func(what string, err error) {
		if failed = err; several && !a.asJSON {
			a.complain("%s: %v", what, err)
		}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() && !a.update {
			if a.name != "" || a.runHelp || a.try != "" {
				return console.Usagef("%s is a folder: --name, --run-help and --try are for one script", path)
			}
			these, err := a.folder(out, at, path)
			if all = append(all, these...); err != nil {
				fail(path, err)
			}
			continue
		}
		for _, command := range a.commands {
			if len(all) > 0 {
				out.Say("")
			}
			d, err := a.one(out, at, path, command)
			if all = append(all, d); err != nil {
				d.Error = err.Error()
				fail(d.title(), err)
			}
		}
	}
	if a.asJSON {
		if err := a.console(a.out).JSON(map[string]any{"tools": all}); err != nil {
			return err
		}
	}
	if failed != nil && several && !a.asJSON {
		return reportedError{failed}
	}
	return failed
}

// one makes a tool of a script or a program, or changes one of that name.
func (a *adoption) one(out *console.Console, at scaffold.Place, path, command string) (d *adopted, err error) {
	if a.update {
		return &adopted{From: path}, a.renew(out, at, path)
	}
	if d, err = a.read(path, command); err == nil {
		err = a.make(out, at, d)
	}
	return d, err
}

// read reads a script or a program.
func (a *adoption) read(path, command string) (d *adopted, err error) {
	d = &adopted{From: path, Created: []string{}, Arguments: []adopt.Argument{}, Unclear: []adopt.Doubt{}}
	if d.Source, err = adopt.Open(path, a.environ, a.inPlace); err != nil {
		return d, err
	}
	if d.Command = command; command != "" && d.Path != "" {
		return d, console.Usagef("%s is a file: --commands is for a program on the PATH", path)
	}
	if a.runHelp {
		ctx, stop := untilEnded(context.Background())
		defer stop()
		err = d.Help(ctx, a.environ)
	}
	if d.Tool = cmp.Or(a.name, d.Suggested()); err == nil && d.Tool == "" {
		err = console.Usagef("%s has a name that no tool can have; choose one with --name", path)
	}
	return d, err
}

// title returns what is adopted, as the user has named it.
func (d *adopted) title() string { return strings.TrimSpace(d.From + " " + d.Command) }

// make shows what was read, asks what it does not say, and makes the tool unless the user does not want it.
func (a *adoption) make(out *console.Console, at scaffold.Place, d *adopted) error {
	plan, err := d.Plan(at.Path, d.Tool)
	if err == nil {
		a.askNames(out, &d.Reading)
		plan, err = d.Plan(at.Path, d.Tool)
	}
	d.Arguments, d.Unclear = append(d.Arguments, d.Draft.Arguments...), append(d.Unclear, d.Doubts...)
	if err != nil {
		return err
	}
	d.show(out)
	if a.answers != nil {
		a.askDescription(out, &d.Reading, d.Draft.Description)
		if plan, err = d.Plan(at.Path, d.Tool); err != nil {
			return err
		}
		out.Say("\nwhat clients see of it:")
		out.Text(d.Draft.Shown(d.Tool))
		if !a.agrees(out, "\nmake the tool %s? [Y/n]: ", d.Tool) {
			out.Say("left %s as it is", d.title())
			return nil
		}
	}
	report, err := write(plan, at)
	if d.Created = at.All(slices.DeleteFunc(report.Created, adopt.IsRecord)); err != nil {
		return err
	}
	out.Say("")
	for _, f := range d.Created {
		out.OK("created %s", f)
	}
	if d.Description == "" {
		out.Warn("its own description is only %q: describe in %s what it does, so that models know when to call it",
			d.Draft.Description, d.Created[len(d.Created)-1])
	}
	if arguments := a.asksToTry(out, cmp.Or(strings.Join(d.Draft.Example(), " "), "{}")); arguments != nil {
		return a.trial(out, at.Path, d.Tool, arguments)
	}
	out.Say("\nnext:\n  %s\n  %s", at.Command(append([]string{"mcp-bash", "call", d.Tool}, d.Draft.Example()...)),
		at.Command([]string{"mcp-bash", "validate"}))
	return nil
}

// show prints what was understood.
func (d *adopted) show(out *console.Console) {
	if d.Path == "" {
		out.Say("%s, a program on the PATH", d.title())
	} else {
		out.Say("%s, as far as it can be read:", d.From)
	}
	out.Say("  %s", d.Draft.Description)
	rows := [][]string{{"argument", "type", "from", "in argv"}}
	for _, g := range d.Draft.Arguments {
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
	for _, doubt := range d.Doubts {
		out.Warn("%s", doubt)
	}
}
