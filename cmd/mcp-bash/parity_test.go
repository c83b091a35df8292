package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// What the Bash program, mcp-bash 1.3.0, has: commands, flags, exit codes, variables, fields and
// files. Each is the same here, or a row says how it differs and why; docs/MIGRATING.md has the rows
// that differ. The functions of the SDK have a table of their own.

const wrongUse = "2 means a wrong command line, of every command"

// theirCommands are commands with their flags; a flag that differs has its reason behind a colon.
var theirCommands = []struct {
	command string
	flags   []string
	differs string
}{
	{"", []string{"help", "version", "health", "ready", "project-root"}, ""},
	{"debug", nil, ""},
	{"health", []string{"project-root", "timeout"}, ""},
	{"ready", []string{"project-root", "timeout"}, ""},
	{"new", []string{"no-hello"}, ""},
	{"init", []string{"name", "no-hello"}, ""},
	{"scaffold tool", []string{"ui"}, "makes a tool of our own, with the same files"},
	{"scaffold prompt", nil, "makes a prompt of our own, with the same files"},
	{"scaffold resource", nil, "its address is relative to the project, so the project can move"},
	{"scaffold completion", nil,
		"makes `completions/NAME.sh` with metadata that names its prompt, which must exist, and no block in `register.sh`, which would not run"},
	{"scaffold ui", []string{"tool"}, ""},
	{"scaffold test", nil,
		"`test/run.sh` runs the `smoke.sh` of every tool; a `test/run.sh` that was made before works as it is"},
	{"run-tool",
		[]string{"args", "roots", "dry-run", "timeout", "verbose", "no-refresh", "minimal", "project-root", "print-env",
			"allow-self", "allow", "allow-all", "with-server-env", "source"},
		"`--print-env` does not print `MCPBASH_HOME` and `MCP_SDK`, which exist while a tool runs only"},
	{"validate", []string{"project-root", "fix", "json", "explain-defaults", "strict", "inspector"},
		"names may have dots and need no namespace; the words of findings"},
	{"config", []string{"show", "json", "client", "wrapper", "wrapper-env", "inspector", "project-root"},
		"`MCPBASH_TOOL_ALLOWLIST` is not part of it, for all tools are allowed; `claude-cli` and `librechat` get the text of their file, in JSON"},
	{"doctor", []string{"json", "dry-run", "fix", "min-version",
		"archive: `install.sh`, packages and `go install` bring new versions", "verify: as `--archive`",
		"ref: as `--archive`",
		"version: as `--archive`", "allow-downgrade: as `--archive`"}, "`--fix` mends the project, not an installation"},
	{"registry refresh", []string{"project-root", "no-notify", "quiet", "filter"},
		"`--quiet` prints no object; an error is on stderr, not a message on stdout"},
	{"registry status", []string{"project-root"}, ""},
	{"vendor", []string{"output", "upgrade", "verify", "dry-run", "verbose"},
		"copies one program instead of many files; a copy that is there is not asked about but needs `--upgrade`"},
	{"bundle", []string{"output", "name", "version", "platform", "include-gojq", "validate", "verbose"},
		"without `--platform` it is for this system, and for those of `--binary`, since it holds a program; `mcpb.conf` is data"},
	{"publish", []string{"dry-run", "token", "verbose"},
		"sends nothing unless `MCP_REGISTRY_URL` is set, so that no token goes to a place that nobody named"},
}

func TestEveryCommandAndFlagOfTheBashProgramIsHere(t *testing.T) {
	root := command(streams{}, nil, func(int) {})
	for _, row := range theirCommands {
		t.Run(row.command, func(t *testing.T) {
			is := is.New(t)
			cmd, rest, err := root.Find(strings.Fields(row.command))
			is.NoErr(err)
			is.Equal(len(rest), 0) // all of its words name a command
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			for _, flag := range row.flags {
				name, reason, differs := strings.Cut(flag, ": ")
				is.Equal(flagOf(cmd, name) == nil, differs) // it is here, or a reason says why not
				is.True(!differs || reason != "")
			}
		})
	}
}

// flagOf is a flag of a command, or of one above it.
func flagOf(cmd *cobra.Command, name string) *pflag.Flag {
	if f := cmd.Flags().Lookup(name); f != nil {
		return f
	}
	return cmd.InheritedFlags().Lookup(name)
}

// theirCodes are exit codes. Where ours is another one, the row says why.
var theirCodes = []struct {
	what    string
	theirs  int
	args    []string // after -C, the project of the test
	ours    int
	differs string
}{
	{"`--version`", 0, []string{"--version"}, 0, ""},
	{"`--help`", 0, []string{"--help"}, 0, ""},
	{"an unknown command", 2, []string{"frobnicate"}, 2, ""},
	{"an unknown option", 0, []string{"--frobnicate"}, 2, "it started the server, whatever was meant; " + wrongUse},
	{"the end of input", 0, []string{"serve"}, 0, ""},
	{"a server with a project that is not there", 1, []string{"serve", "-C", "nowhere"}, 2,
		wrongUse + "; with `MCPBASH_PROJECT_ROOT` the server starts and tells its client what is wrong"},
	{"`health` of a project that is ready", 0, []string{"health"}, 0, ""},
	{"`health` without a project", 2, []string{"health", "-C", "nowhere"}, 2, ""},
	{"`health` with an unknown flag", 1, []string{"health", "--frobnicate"}, 2, wrongUse},
	{"`new` with a name that is taken", 1, []string{"new", "taken", "-C", "."}, 1, ""},
	{"`new` with a bad name", 1, []string{"new", "a b"}, 2, wrongUse},
	{"`init` with a bad name", 1, []string{"init", "--name", "a b"}, 2, wrongUse},
	{"`scaffold` of what exists", 1, []string{"scaffold", "tool", "hello"}, 1, ""},
	{"`scaffold` of an unknown kind", 1, []string{"scaffold", "gadget", "x"}, 2, wrongUse},
	{"`run-tool` with a result", 0, []string{"run-tool", "hello", "--args", `{"name":1}`}, 0, ""},
	{"`run-tool` with a result with `isError`", 0, []string{"run-tool", "hello", "--args", `{"name":{}}`}, 1,
		"a script can tell whether the tool has failed, as its documents promise"},
	{"`run-tool` with an unknown tool", 1, []string{"run-tool", "x"}, 1, ""},
	{"`run-tool` without a name", 1, []string{"run-tool"}, 2, wrongUse},
	{"`run-tool` with arguments that are not an object", 1, []string{"run-tool", "hello", "--args", "7"}, 2, wrongUse},
	{"`validate` of a project without errors", 0, []string{"validate"}, 0, ""},
	{"`config` for an unknown client", 0, nil, 2, wrongUse},
	{"`doctor` where all is well", 0, []string{"doctor"}, 0, ""},
	{"`doctor` with an unknown flag", 2, []string{"doctor", "--frobnicate"}, 2, ""},
	{"`registry refresh`", 0, []string{"registry", "refresh"}, 0, ""},
	{"`registry` with an unknown word", 1, []string{"registry", "frobnicate"}, 2, wrongUse},
	{"`vendor --verify` without a copy", 1, []string{"vendor", "--verify"}, 1, ""},
	{"`bundle` with a bad option", 2, []string{"bundle", "--frobnicate"}, 2, ""},
	{"`bundle` with a bad value", 1, []string{"bundle", "--name", "a b", "--validate"}, 1, ""},
	{"`publish` of a file that is not there", 1, []string{"publish", "x.mcpb"}, 1, ""},
	{"SIGINT and SIGTERM", 130, nil, 0, "being ended by its client is how a server ends"},
	{"`shutdown` without `exit`", 137, nil, 0, "the same; nothing needs to be killed"},
	{"a weak `MCPBASH_REMOTE_TOKEN`", 1, nil, 2, "2 is also for settings that cannot be used"},
	{"stdout that is corrupted again and again", 2, nil, 2, ""},
}

func TestExitCodesAreThoseOfTheBashProgramOrARowSaysWhyNot(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	if err := os.Mkdir("taken", 0o755); err != nil {
		t.Fatal(err)
	}
	if code := code(t, "new", "demo"); code != 0 {
		t.Fatalf("new: exit code %d", code)
	}
	for _, row := range theirCodes {
		t.Run(row.what, func(t *testing.T) {
			is := is.New(t)
			is.Equal(row.theirs == row.ours, row.differs == "")
			if row.args != nil {
				is.Equal(code(t, append([]string{"-C", filepath.Join(here, "demo")}, row.args...)...), row.ours)
			}
		})
	}
}

// code runs the program with nothing on stdin.
func code(t *testing.T, args ...string) int {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	stdout := os.Stdout // serve takes it away from whoever prints by habit
	defer func() { os.Stdout = stdout }()
	return execute(args, streams{in: null, out: null, err: null}, os.Environ())
}

func TestThePageForThoseWhoComeFromTheBashProgramHasEveryDifference(t *testing.T) {
	for name, rows := range map[string][]string{
		"behaviour": behaviourRows(),
		"commands":  commandRows(),
		"codes":     codeRows(),
		"variables": variableRows(),
		"names":     nameRows(),
	} {
		madetest.Part(t, "../../docs/MIGRATING.md", name, strings.Join(rows, "\n")+"\n")
	}
}

func behaviourRows() []string {
	rows := []string{"| in mcp-bash 1.3.0 | here | why |", "|---|---|---|"}
	for _, d := range check.Differences() {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |", d.Then, d.Now, d.Why))
	}
	return rows
}

func commandRows() []string {
	rows := []string{"| command | what differs |", "|---|---|"}
	for _, c := range theirCommands {
		if c.differs != "" {
			rows = append(rows, fmt.Sprintf("| `%s` | %s |", c.command, c.differs))
		}
		for _, flag := range c.flags {
			if name, reason, differs := strings.Cut(flag, ": "); differs {
				rows = append(rows, fmt.Sprintf("| `%s --%s` | %s |", c.command, name, reason))
			}
		}
	}
	return rows
}

func codeRows() []string {
	rows := []string{"| what | there | here | why |", "|---|---|---|---|"}
	for _, c := range theirCodes {
		if c.differs != "" {
			rows = append(rows, fmt.Sprintf("| %s | %d | %d | %s |", c.what, c.theirs, c.ours, c.differs))
		}
	}
	return rows
}

func variableRows() []string {
	rows := []string{"| variable | what differs |", "|---|---|"}
	ours := make(map[string]string)
	for _, v := range operator.Variables(new(operator.Settings)) {
		ours[v.Name] = v.Fallback
	}
	var names []string
	for name := range theirVariables {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if why := otherDefaults[name]; why != "" {
			rows = append(rows,
				fmt.Sprintf("| `%s` | `%s` where it is not set, there `%s`: %s |", name, ours[name], theirVariables[name], why))
		}
		if why := operator.Obsolete()[name]; why != "" {
			rows = append(rows, fmt.Sprintf("| `%s` | without effect: %s |", name, why))
		}
	}
	return rows
}

func nameRows() []string {
	rows := []string{"| what | name | what differs |", "|---|---|---|"}
	for _, kind := range theirNames {
		for _, entry := range kind.names {
			if name, reason, differs := strings.Cut(entry, ": "); differs {
				rows = append(rows, fmt.Sprintf("| %s | `%s` | %s |", kind.what, name, reason))
			}
		}
	}
	return rows
}
