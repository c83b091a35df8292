package main

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

// A place is a folder that files are made in.
type place struct {
	path  string // absolute
	from  string // relative to the current folder, with slashes; empty for the current folder
	named bool   // -C named it, so the commands to type next need -C too
}

// placeAt describes a folder, which must exist.
func placeAt(at string, named bool) (place, error) {
	abs, err := filepath.Abs(at)
	if err != nil {
		return place{}, err
	}
	if info, err := os.Stat(abs); err != nil {
		return place{}, console.Usagef("folder %q: %w", at, errors.Unwrap(err))
	} else if !info.IsDir() {
		return place{}, console.Usagef("%q is a file; name a folder", at)
	}
	here, err := os.Getwd()
	if err != nil {
		return place{}, err
	}
	from, err := filepath.Rel(here, abs)
	switch {
	case err != nil: // another drive
		from = abs
	case from == ".":
		from = ""
	}
	return place{abs, filepath.ToSlash(from), named}, nil
}

// refusal returns the error of a plan as a UsageError if the command line caused it.
func refusal(err error) error {
	if errors.Is(err, scaffold.ErrName) || errors.Is(err, scaffold.ErrNoCheckout) {
		return console.UsageError{Err: err}
	}
	return err
}

// oneName is a cobra.PositionalArgs that requires the name of what will be made.
func oneName(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return console.Usagef("%s requires one name, but got %d; for example\n%s", commandName(cmd), len(args), cmd.Example)
	}
	return nil
}

// makes executes a plan and prints which files were made and what to type next.
func (p program) makes(plan scaffold.Plan, at place, asJSON bool) error {
	return p.makesBeside(plan, at, asJSON, nil)
}

// makesBeside is makes for a place with scripts that can become tools.
func (p program) makesBeside(plan scaffold.Plan, at place, asJSON bool, scripts []string) error {
	report, err := plan.Write(at.path)
	if err != nil {
		return err
	}
	c := p.console(p.out)
	if asJSON {
		return c.JSON(struct {
			Created []string `json:"created"`
			Kept    []string `json:"kept"`
			Changed []string `json:"changed"`
			Scripts []string `json:"adoptable,omitempty"`
		}{at.all(report.Created), at.all(report.Kept), at.all(report.Changed), scripts})
	}
	for _, f := range at.all(report.Created) {
		c.OK("created %s", f)
	}
	for _, f := range at.all(report.Changed) {
		c.OK("added to %s", f)
	}
	for _, f := range at.all(report.Kept) {
		c.Say("  kept %s as it is", f)
	}
	if plan.Note != "" {
		c.Say("\n%s", plan.Note)
	}
	c.Say("\nnext:")
	for _, words := range plan.Next {
		if command := at.command(words); command != "cd ." { // the current folder already
			c.Say("  %s", command)
		}
	}
	return nil
}

// all converts paths relative to the place to paths relative to the current folder.
func (at place) all(paths []string) []string {
	all := []string{}
	for _, p := range paths {
		all = append(all, path.Join(at.from, p))
	}
	return all
}

// command returns what to type in the current folder for a command at the place.
func (at place) command(words []string) string {
	switch program := words[0]; {
	case program == "mcp-bash" && at.named:
		words = append([]string{program, "-C", path.Join(".", at.from)}, words[1:]...)
	case program == "cd":
		words = []string{program, path.Join(at.from, words[1])}
	case strings.Contains(program, "/"):
		words = append([]string{path.Join(at.from, program)}, words[1:]...)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = console.Quote(w)
	}
	return strings.Join(quoted, " ")
}
