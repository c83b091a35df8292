package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func validateCommand(p program) *cobra.Command {
	v := validation{program: p}
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check a project: metadata, schemas, scripts, names",
		Long: `Validate opens the project as the server does and reports what the server leaves
out and why: what is not an error here is served. It looks into scripts too, without
running them: #! lines, permissions, line endings, syntax, misspelt functions of the
SDK, and $1 in a tool without "argv". Where shellcheck is installed, it shows the
errors and warnings that shellcheck finds in the scripts, but for copies that adopt
has made. It also finds slips that leave something without effect: types that do not
exist, required properties that are not described, arguments that argv does not name,
completions that belong to nothing, resources that clients may not read, and folders
such as tool/ instead of tools/.

An error is something that is left out or fails when it is used; a warning works,
but not always as wanted. A comment allows one finding in its line or the next:

    # mcp-bash: allow unknown-helper
    # shellcheck disable=SC2046

server.d/register.sh, and an env.sh of more than assignments, are run, as the server
does, if MCPBASH_ALLOW_PROJECT_HOOKS is true; nothing else is.

The exit code is 0, 1 if there are errors (or warnings, with --strict), and 2 if the
folder is not a project.`,
		Example: `  mcp-bash validate
  mcp-bash validate --fix
  mcp-bash validate --strict --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return v.run() },
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "print the findings for programs")
	cmd.Flags().BoolVar(&v.strict, "strict", false, "let warnings fail too")
	cmd.Flags().BoolVar(&v.fix, "fix", false, "make scripts executable, and remove CR LF and byte order marks")
	cmd.Flags().BoolVar(&v.defaults, "explain-defaults", false, "print the defaults for what server.meta.json leaves out")
	cmd.Flags().BoolVar(&v.inspector, "inspector", false, "print the command that opens the project in the MCP Inspector")
	return cmd
}

// A validation is one run of validate.
type validation struct {
	program
	asJSON, strict, fix, defaults, inspector bool
}

// validateResult is the outcome as JSON, with the keys of the Bash program.
type validateResult struct {
	ProjectRoot  string          `json:"projectRoot"`
	Errors       int             `json:"errors"`
	Warnings     int             `json:"warnings"`
	FixesApplied int             `json:"fixesApplied"`
	Strict       bool            `json:"strict"`
	Defaults     named           `json:"defaults"`
	Messages     []check.Message `json:"messages"`
}

// named holds the name, title and version of a server.
type named struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

func (v validation) run() error {
	root, settings, complaints, err := v.served()
	if err != nil {
		return err
	}
	for _, c := range complaints {
		if !slices.Contains(settings.EnvFaults, c) { // these become findings
			v.complain("%s", c)
		}
	}
	o, remove, err := v.checking(settings, root)
	if err != nil {
		return err
	}
	defer remove()
	o.Fix = v.fix
	bar := v.console(v.err).Progress("looking through scripts", -1)
	o.Step = bar.At
	ctx, stop := untilEnded(context.Background())
	defer stop()
	r, err := check.Project(ctx, root, o)
	bar.Done()
	if err != nil {
		return err
	}
	defaults := named{r.Defaults.Name, r.Defaults.Title, r.Defaults.Version}
	out := v.console(v.out)
	if r.Errors > 0 || v.strict && r.Warnings > 0 {
		v.exit(1)
	}
	if v.asJSON {
		return out.JSON(validateResult{root, r.Errors, r.Warnings, r.Fixes, v.strict, defaults,
			append([]check.Message{}, r.Messages...)})
	}
	v.printReport(out, r, defaults)
	if v.inspector {
		_, entry, err := v.server()
		if err != nil {
			return err
		}
		out.Text(clients.Inspector(entry))
	}
	return nil
}

// printReport prints the findings.
func (v validation) printReport(out *console.Console, r check.Report, defaults named) {
	alike := make(map[string][]string) // the files of notes on what was not checked, by their texts
	for _, m := range r.Messages {
		if m.Level == check.Info && m.Rule == "syntax" {
			alike[m.Message] = append(alike[m.Message], m.File)
		}
	}
	for _, m := range r.Messages {
		show := shows(out, m.Level)
		if with := alike[m.Message]; len(with) > 1 {
			if with[0] == m.File {
				show("%s: %s", strings.Join(with, ", "), m.Message)
			}
			continue
		}
		if m.Rule == "fixed" {
			show = out.OK
		}
		show("%s", m.Place()+m.Message)
		if m.Hint != "" {
			out.Hint("%s", m.Hint)
		}
	}
	if v.defaults {
		out.Say("defaults for what server.meta.json leaves out: name %q, title %q, version %q", defaults.Name,
			defaults.Title, defaults.Version)
	}
	switch {
	case r.Errors > 0:
		out.Fail("%s, %s", console.Count(r.Errors, "error"), console.Count(r.Warnings, "warning"))
	case v.strict && r.Warnings > 0:
		out.Fail("no errors, but %s, which --strict refuses", console.Count(r.Warnings, "warning"))
	default:
		out.OK("all checks passed: %s served, %s", console.Count(r.Tools, "tool"), console.Count(r.Warnings, "warning"))
		if r.Tools == 0 {
			out.Hint("a tool is an executable in tools/; `mcp-bash scaffold tool NAME` makes one")
		}
	}
	if fixable := fixable(r.Messages); fixable > 0 && !v.fix {
		out.Hint("`mcp-bash validate --fix` fixes %d of them", fixable)
	}
}

// shows returns how findings of a level are printed.
func shows(out *console.Console, level check.Level) func(format string, args ...any) {
	switch level {
	case check.Error:
		return out.Fail
	case check.Warning:
		return out.Warn
	}
	return out.Say
}

func fixable(messages []check.Message) (n int) {
	for _, m := range messages {
		if m.Fixable {
			n++
		}
	}
	return n
}
