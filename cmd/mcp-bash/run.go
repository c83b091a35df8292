package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// streams are the standard streams of a process.
type streams struct{ in, out, err *os.File }

// A reportedError is an error that its command has already reported.
type reportedError struct{ error }

func (e reportedError) Unwrap() error { return e.error }

// complain prints what is wrong to stderr.
func (p program) complain(format string, args ...any) {
	p.console(p.err).Say("mcp-bash: "+format, args...)
}

func (p program) complainOf(all []string) {
	for _, text := range all {
		p.complain("%s", text)
	}
}

// execute is the whole program. It returns the exit code.
func execute(args []string, s streams, environ []string) int {
	code := 0
	root := commandFor(args, s, environ, func(c int) { code = c })
	root.SetArgs(args)
	root.SetOut(s.out)
	root.SetErr(s.err)
	cmd, err := root.ExecuteC()
	if err == nil {
		return code
	}
	if errors.Is(err, context.Canceled) { // by ctrl-c, for example: the user knows why it ended
		return interrupted
	}
	err = rewriteError(cmd, err)
	if reported := (reportedError{}); !errors.As(err, &reported) {
		program{streams: s, env: operator.Map(environ)}.complain("%v", err)
	}
	if errors.As(err, new(console.UsageError)) {
		return 2
	}
	return 1
}

// interrupted is the exit code after ctrl-c, and of commands that another signal ends.
const interrupted = 130

// A program holds what every command needs: streams, environment and project folder.
type program struct {
	streams
	environ     []string
	env         map[string]string // environ, by name
	projectRoot *string           // the flag -C, read when a command runs
	exit        func(int)         // sets the exit code, for commands that have their own
	unwritten   *sync.Once        // reports that stdout cannot be written

	unusableTemp *string // why the folder for temporary files that a variable names is not used; see usableTemp
}

// frequent are the commands that programs run often. They are built without the others, because
// building the whole tree takes longer than they run.
var frequent = map[string]func(program) *cobra.Command{
	"serve": serveCommand,
	"wrap":  wrapCommand,
	"jq":    jqCommand,
}

// commandFor builds the part of the command tree that a command line needs.
func commandFor(args []string, s streams, environ []string, exit func(int)) *cobra.Command {
	if len(args) == 0 { // most clients start the server like this
		root, _ := rootCommand(s, environ, exit)
		return alone(root)
	}
	if build, ok := frequent[args[0]]; ok {
		root, p := rootCommand(s, environ, exit)
		root.AddCommand(build(p))
		return alone(root)
	}
	return command(s, environ, exit)
}

// command builds the tree of commands. A command with its own exit code passes it
// to exit.
func command(s streams, environ []string, exit func(int)) *cobra.Command {
	root, p := rootCommand(s, environ, exit)
	health := healthCommand(p)
	group(root, "Make a project:", newCommand(p), initCommand(p), scaffoldCommand(p), adoptCommand(p), exampleCommand(p))
	group(root, "Try it by hand:", devCommand(p), listCommand(p), callCommand(p), readCommand(p), getCommand(p),
		interceptCommand(p), simulateCommand(p), completeCommand(p), previewCommand(p))
	group(root, "Check it:", validateCommand(p), doctorCommand(p), health)
	group(root, "Give it to clients:", configCommand(p), installCommand(p), uninstallCommand(p), bundleCommand(p),
		vendorCommand(p), publishCommand(p))
	group(root, "Serve it:", serveCommand(p), wrapCommand(p), watchCommand(p), debugCommand(p), explainCommand(p),
		replayCommand(p), registryCommand(p),
		chainCommand(p))
	root.AddCommand(docsCommand(p), versionCommand(p), jqCommand(p), providerCommand(p))
	probes(root, health)
	return finish(root)
}

func finish(root *cobra.Command) *cobra.Command {
	root.SetFlagErrorFunc(wrongFlag)
	strict(root)
	return root
}

// alone is finish for a command line that names none of the commands that come with cobra.
func alone(root *cobra.Command) *cobra.Command {
	root.SetFlagErrorFunc(wrongFlag)
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

// rootCommand builds the root command without its subcommands.
func rootCommand(s streams, environ []string, exit func(int)) (*cobra.Command, program) {
	var projectRoot string
	var showVersion bool
	environ = slices.DeleteFunc(slices.Clone(environ), isPlaceholder)
	p := program{streams: s, environ: environ, env: operator.Map(environ), projectRoot: &projectRoot, exit: exit,
		unwritten: &sync.Once{}, unusableTemp: new(string)}
	root := &cobra.Command{
		Use:           "mcp-bash",
		Short:         "Serve a folder of scripts to AI clients over MCP",
		Long:          about,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(*cobra.Command, []string) error {
			if showVersion {
				_, err := fmt.Fprintf(s.out, "mcp-bash %s\n", version)
				return err
			}
			if isTerminal(s.in) {
				_, err := io.WriteString(s.out, console.FitHelp(about, columns(s.out)))
				return err
			}
			return serve(p.streams, p.env, *p.projectRoot, serveOptions{}) // started by a client
		},
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd == root || cmd.Name() == "serve" {
			if err := enoughFiles(); err != nil {
				return err
			}
		}
		if *p.unusableTemp = p.usableTemp(); *p.unusableTemp != "" {
			p.complain("%s", *p.unusableTemp)
		}
		return nil
	}
	root.SetHelpFunc(p.help(root.HelpFunc()))
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "version for mcp-bash")
	root.PersistentFlags().StringVarP(&projectRoot, "project-root", "C", "",
		"the project's `folder` (default: MCPBASH_PROJECT_ROOT, else found by walking up)")
	return root, p
}

// group adds subcommands that the help shows under a heading.
func group(root *cobra.Command, heading string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: heading, Title: heading})
	for _, c := range commands {
		c.GroupID = heading
	}
	root.AddCommand(commands...)
}

// help returns a function that prints the help that print writes, fitted to the width of the
// terminal.
func (p program) help(print func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		var text strings.Builder
		cmd.SetOut(&text)
		print(cmd, args)
		cmd.SetOut(p.out)
		_, _ = io.WriteString(p.writer(p.out), console.FitHelp(text.String(), columns(p.out))) // which reports errors
	}
}

// console returns a console on f: stdout, or stderr for a command whose stdout is for
// programs. NO_COLOR turns colours off; a terminal whose TERM is dumb gets no escape
// sequences at all.
func (p program) console(f *os.File) *console.Console {
	width := func() int { return columns(f) }
	if !p.live(f) {
		return console.New(p.writer(f), false).Fit(width)
	}
	screen.Escapes(f)
	return console.New(p.writer(f), p.env["NO_COLOR"] == "").Live(width)
}

// messages returns the console for messages about what a command does; with JSON as its output, they
// are not printed.
func (p program) messages(asJSON bool) *console.Console {
	if asJSON {
		return console.New(io.Discard, false)
	}
	return p.console(p.out)
}

// live reports whether a file is a terminal that understands escape sequences.
func (p program) live(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && p.env["TERM"] != "dumb"
}

// columns returns the current width of a terminal; 0 for any other file.
func columns(f *os.File) int {
	width, _, _ := term.GetSize(int(f.Fd()))
	return width
}

// project returns the folder of the project that a command is about.
func (p program) project() (string, error) {
	root, by := *p.projectRoot, ""
	if root == "" {
		root, by = p.env["MCPBASH_PROJECT_ROOT"], "MCPBASH_PROJECT_ROOT: "
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root, err = catalog.Find(root, here)
	if errors.Is(err, catalog.ErrNone) {
		return "", console.Usagef("no project here: cd into one, name it with -C, or make one with `mcp-bash new NAME`")
	} else if err != nil {
		return "", console.Usagef("%s%w", by, err)
	}
	return root, nil
}

const about = `mcp-bash serves a folder of scripts to AI clients over the Model Context Protocol.

    mcp-bash new my-tools                  make a project
    mcp-bash call hello                    call a tool of it
    mcp-bash scaffold tool NAME            add a tool
    mcp-bash validate                      check the project
    mcp-bash install --client NAME         give it to a client
    mcp-bash doctor                        check the machine

A client (Claude Desktop, Cursor, ...) starts the server itself and talks to it over
stdin and stdout. To see what it would read, pipe messages to it:

    printf '%s\n' \
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' \
      '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
      mcp-bash serve -C path/to/project

    mcp-bash help                          all commands and flags
`

// isTerminal reports whether f is a terminal: any character device except the null
// device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
