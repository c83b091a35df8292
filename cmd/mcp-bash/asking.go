package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A clientCommand is the common part of the commands that call a server as a client does:
// the project's server in this process, or the program after --.
type clientCommand struct {
	program
	json     bool
	revision string
	argv     []string // the program to start; nil: the project's server

	// Where results are printed, and everything else; nil: stdout and stderr. atTerminal
	// reports whether the results go to a terminal.
	results, rest io.Writer
	atTerminal    bool
	toolStderr    io.Writer      // also gets what tools of the project write to stderr; nil: as the settings say
	asText        bool           // results of tools are printed as text even if they do not go to a terminal
	width         func() int     // returns the terminal's columns; nil without a terminal, and where results is the terminal itself
	extensions    map[string]any // protocol extensions that the command supports

	session interface {
		Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)
		Close() error
	}
	people *audience // nil: the user at the terminal
}

const otherServer = "\n\nBehind -- another server can be named, with its arguments: it is started and asked instead."

// flags adds the flags that these commands have in common.
func (a *clientCommand) flags(cmd *cobra.Command) {
	cmd.Long += otherServer
	cmd.Flags().BoolVar(&a.json, "json", false, "print the result as JSON")
	cmd.Flags().StringVar(&a.revision, "revision", "", "speak this `revision` of the protocol (default: the newest that has sessions)")
	completes(cmd, "revision", mcp.Versions())
}

// words splits the words of a command line at --, and checks the number of the words
// before it, which belong to the command itself.
func (a *clientCommand) words(cmd *cobra.Command, args []string, least, most int, what string) ([]string, error) {
	own := args
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		own, a.argv = args[:at], args[at:]
		if len(a.argv) == 0 {
			return nil, usageError{errors.New("-- needs the command of a server behind it")}
		}
	}
	if len(own) < least || most >= 0 && len(own) > most {
		return nil, usageError{fmt.Errorf("%s requires %s; `%s --help` shows examples", commandName(cmd), what, cmd.CommandPath())}
	}
	return own, nil
}

// open opens a session. Close it.
func (a *clientCommand) open() error {
	if a.results == nil {
		a.results, a.rest, a.atTerminal = a.out, a.err, isTerminal(a.out)
	}
	if a.people == nil {
		a.people = a.audience()
	}
	if a.revision != "" && mcp.Lookup(a.revision) == nil {
		return usageError{fmt.Errorf("--revision %s: use one of %v", a.revision, mcp.Versions())}
	}
	if a.argv != nil {
		stream, err := dial.Command(a.argv, a.environ, a.people.beside(a.rest))
		if err != nil {
			return usageError{err}
		}
		session, err := dial.Open(context.Background(), stream, dial.Options{Revision: a.revision, Audience: a.people, Version: version, Extensions: a.extensions})
		a.session = session
		return err
	}
	root, err := a.project()
	if err != nil {
		return err
	}
	s, complaints := a.readProject(root)
	for _, c := range complaints {
		a.people.out.Say("mcp-bash: %s", c)
	}
	stderr := a.people.beside(a.rest)
	if a.toolStderr != nil {
		s.StreamStderr, stderr = true, a.toolStderr
	}
	inside, err := a.serveInside(root, s, a.revision, a.extensions, a.people, stderr)
	a.session = inside
	return err
}

// ask opens a session for one or more calls. An error response becomes a readable
// error, an interrupt the exit code 130.
func (a *clientCommand) ask(calls func(ctx context.Context) error) error {
	if err := a.open(); err != nil {
		return readableError(err)
	}
	defer a.session.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := calls(ctx)
	a.people.leave()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return readableError(err)
}

// readableError returns a server's error response as a readable error.
func readableError(err error) error {
	if refused := (*jsonrpc2.Error)(nil); errors.As(err, &refused) {
		return fmt.Errorf("%s (%d)", refused.Message, refused.Code)
	}
	return err
}

// all returns the items of all pages of a list.
func (a *clientCommand) all(ctx context.Context, method, member string) ([]json.RawMessage, error) {
	return dial.All(ctx, a.session, method, member)
}

// printer returns the console that results for people are printed with.
func (a *clientCommand) printer() *console.Console {
	if f, ok := a.results.(*os.File); ok {
		return a.console(f)
	}
	return console.New(a.results, a.atTerminal && a.env["NO_COLOR"] == "").Fit(a.width)
}

// raw prints a result as JSON: indented for people, on one line for programs.
func (a *clientCommand) raw(result json.RawMessage) error {
	if a.atTerminal {
		return a.printer().JSON(result)
	}
	_, err := fmt.Fprintf(a.results, "%s\n", result)
	return err
}

// write prints text for people, without control sequences, and ends the line.
func (a *clientCommand) write(text string) {
	if text == "" {
		return
	}
	if a.atTerminal {
		text = console.Plain(text)
	}
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	_, _ = io.WriteString(a.results, text) // ignored, as for everything printed for people
}
