package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// streams are the three of a process.
type streams struct{ in, out, err *os.File }

// A usageError is a fault in how the program was called or set up: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// run is the whole program. It returns the exit code.
func run(args []string, s streams, environ []string) int {
	code := 0
	root := command(s, environ, func(c int) { code = c })
	root.SetArgs(args)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.Execute()
	if err == nil {
		return code
	}
	fmt.Fprintf(s.err, "mcp-bash: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) || isUsage(err) {
		return 2
	}
	return 1
}

// isUsage recognises the errors that cobra makes of a wrong command line.
func isUsage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs", "invalid argument", "accepts ", "requires "} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// command builds the tree of commands. One that ends with an exit code of its own
// gives it to exit.
func command(s streams, environ []string, exit func(int)) *cobra.Command {
	env := variables(environ)
	var projectRoot string
	serve := serveCommand(s, env, &projectRoot)
	root := &cobra.Command{
		Use:           "mcp-bash",
		Short:         "Serve a folder of scripts to AI clients over MCP",
		Long:          about,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if isTerminal(s.in) {
				_, err := io.WriteString(s.out, about)
				return err
			}
			return serve.RunE(serve, args) // started by a client
		},
	}
	root.PersistentFlags().StringVarP(&projectRoot, "project-root", "C", "", "the project's `folder` (default: MCPBASH_PROJECT_ROOT, else found by walking up)")
	root.AddCommand(serve, chainCommand(s), versionCommand(s), jqCommand(s, environ, exit))
	return root
}

const about = `mcp-bash serves a folder of scripts to AI clients over the Model Context Protocol.

It is started by a client (Claude Desktop, Cursor, ...), which talks to it over
stdin and stdout. To try it by hand, pipe messages to it:

    printf '%s\n' \
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' \
      '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
      mcp-bash serve -C path/to/project

A project is a folder with scripts in tools/NAME/tool.sh.

    mcp-bash serve      serve a project over stdin and stdout
    mcp-bash chain      list the stages that every message passes
    mcp-bash version    print the version
    mcp-bash help       all commands and flags
`

// isTerminal takes every device for a terminal but the null device, where there
// is nobody to talk to either.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
