package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
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

Scripts are read, not run. In shell scripts adopt understands getopts, options in case, $1,
${2:-x}, "$@" and shift; in Python add_argument of argparse, and sys.argv; in others the
usage text. It shows what it understood, with the line, and what it did not. With --run-help
it runs the program with --help, and reads what that prints as well.

At a terminal adopt asks for what it cannot know, and before it writes; --yes asks nothing.
Existing files are not changed. A script that is already in tools/ gets its metadata beside it.`,
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
			at, err := placeAt(root, *p.projectRoot != "")
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
	Source    string            `json:"source"`
	Name      string            `json:"name"`
	Error     string            `json:"error,omitempty"`
	Created   []string          `json:"created"`
	Arguments []adoptedArgument `json:"arguments"`
	Doubts    []adoptedDoubt    `json:"doubts"`
}

type adoptedArgument struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	List     bool     `json:"list,omitempty"`
	Required bool     `json:"required"`
	Default  string   `json:"default,omitempty"`
	Enum     []string `json:"enum,omitempty"`
	Line     int      `json:"line,omitempty"`
	From     string   `json:"from,omitempty"`
	Argv     string   `json:"argv,omitempty"`
}

type adoptedDoubt struct {
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// all adopts the paths in order. A path that cannot be adopted does not stop the others.
func (a *adoption) all(at place, paths []string) error {
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
func (a *adoption) adopt(out *console.Console, at place, path string) (adoptResult, error) {
	result := adoptResult{Source: path, Created: []string{}, Arguments: []adoptedArgument{}, Doubts: []adoptedDoubt{}}
	s, reading, known, err := a.read(path)
	if err != nil {
		return result, err
	}
	name := a.name
	if name == "" {
		name = s.Suggested()
	}
	if result.Name = name; name == "" {
		return result, console.Usagef("%s makes no name for a tool; give it one with --name", path)
	}
	a.askNames(out, &reading)
	s.Draft = adopt.NewDraft(reading)
	if !known && len(s.Draft.Arguments) == 0 {
		s.Draft = adopt.Anything()
		s.Draft.Description = reading.Description
	}
	if s.Draft.Description == "" {
		s.Draft.Description = "Runs " + filepath.Base(path)
	}
	for _, g := range s.Draft.Arguments {
		result.Arguments = append(result.Arguments, adoptedArgument{g.Name, g.Type, g.List, g.Required, g.Default, g.Enum, g.Line, g.From, g.Words})
	}
	for _, d := range reading.Doubts {
		result.Doubts = append(result.Doubts, adoptedDoubt(d))
	}
	if _, err := s.Plan(at.path, name, a.inPlace); err != nil { // before anybody is asked
		return result, refusal(err)
	}
	if !a.asJSON {
		show(out, path, s, reading)
	}
	described := reading.Description != ""
	if !described {
		if text, ok := a.ask(out, "\nwhat does it do, and when is it of use? (one sentence for models) [%s]: ", s.Draft.Description); ok && text != "" {
			s.Draft.Description, described = text, true
		}
	}
	if text, ok := a.ask(out, "\nmake the tool %s? [Y/n]: ", name); a.answers != nil && (!ok || strings.HasPrefix(strings.ToLower(text), "n")) {
		out.Say("left %s as it is", path)
		return result, nil
	}
	plan, err := s.Plan(at.path, name, a.inPlace)
	if err != nil {
		return result, refusal(err)
	}
	report, err := plan.Write(at.path)
	if err != nil {
		return result, err
	}
	if result.Created = at.all(report.Created); a.asJSON {
		return result, nil
	}
	out.Say("")
	for _, f := range result.Created {
		out.OK("created %s", f)
	}
	metadata := result.Created[len(result.Created)-1]
	if !described {
		out.Warn("its own description is only %q: describe in %s what it does, so that models know when to call it", s.Draft.Description, metadata)
	}
	if reading.Beside && len(report.Created) > 1 {
		out.Warn("it looks for files in its own folder, which the copy may not find there; if so, adopt it with --in-place")
	}
	out.Say("\nnext:\n  %s\n  %s", at.command([]string{"mcp-bash", "run-tool", name, "--args", example(s.Draft)}), at.command([]string{"mcp-bash", "validate"}))
	return result, nil
}

// read finds a script or a program and reads it. known reports whether the language of the script
// is known.
func (a *adoption) read(path string) (s adopt.Source, r adopt.Reading, known bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return s, r, false, console.Usagef("%s is a folder; name the scripts in it", path)
	case err != nil && (strings.ContainsRune(path, '/') || strings.ContainsRune(path, filepath.Separator)):
		return s, r, false, console.Usagef("%s: %w", path, errors.Unwrap(err))
	case err != nil:
		s.Name = path
		found := script.LookPath(path, a.environ)
		if found == "" {
			return s, r, false, console.Usagef("%s is neither a file here nor a program on the PATH", path)
		}
		path = found
	default:
		if s.Path, err = filepath.Abs(path); err != nil {
			return s, r, false, err
		}
		path = s.Path
		switch s.Text, err = files.Read(path, adopt.ScriptBytes); {
		case err != nil && !a.inPlace:
			return s, r, false, fmt.Errorf("%s: %w; use --in-place for a program that is not a script", path, err)
		case err == nil:
			r, known = adopt.Read(path, s.Text)
			if len(s.Text) > 0 && !a.inPlace && strings.IndexByte(string(s.Text[:min(len(s.Text), 1024)]), 0) >= 0 {
				return s, r, false, fmt.Errorf("%s is a program, not a script; use --in-place to refer to it where it is", path)
			}
		}
	}
	if a.runHelp {
		text, err := a.help(path)
		if err != nil {
			return s, r, known, err
		}
		r.Complete(adopt.ReadHelp(text))
	}
	return s, r, known, nil
}

const (
	helpTime  = 10 * time.Second
	helpBytes = 256 << 10
)

// help runs a program with --help and returns what it prints.
func (a *adoption) help(path string) (string, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, helpTime)
	defer cancel()
	runner := &script.Runner{}
	defer runner.Close(0)
	printed := &script.Head{Limit: helpBytes}
	_, err := runner.Run(ctx, script.Command{Path: path, Args: []string{"--help"}, Env: a.environ, Stdout: printed, Stderr: printed})
	if err != nil {
		return "", fmt.Errorf("%s --help: %w", path, err)
	}
	return string(printed.Bytes()), nil
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
		if text, ok := a.ask(out, "what is %s in line %d? a name for it [%s]: ", p.From, p.Line, p.Name); ok && adopt.ArgumentName(text) != "" {
			p.Name = adopt.ArgumentName(text)
		}
	}
}

// ask asks the user at the terminal; ok is false if no questions are asked, or at the end of input.
func (a *adoption) ask(out *console.Console, format string, args ...any) (text string, ok bool) {
	if a.answers == nil {
		return "", false
	}
	out.Prompt(format, args...)
	line, err := a.answers.ReadString('\n')
	return strings.TrimSpace(line), err == nil || line != ""
}

// example returns arguments for the tool as JSON, for users to edit.
func example(d *adopt.Draft) string {
	values := map[string]any{}
	for _, g := range d.Arguments {
		if g.Required {
			values[g.Name] = exampleOf(g)
		}
	}
	text, _ := json.Marshal(values) // of strings, numbers and lists of them
	return string(text)
}

func exampleOf(g adopt.Argument) any {
	var value any = "…"
	switch {
	case len(g.Enum) > 0:
		value = g.Enum[0]
	case g.Type == "integer", g.Type == "number":
		value = 1
	}
	if g.List {
		return []any{value}
	}
	return value
}
