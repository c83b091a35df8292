package main

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A clientCommand is the common part of the commands that call a server as a client does:
// the project's server in this process, or the program after --.
type clientCommand struct {
	program
	ask.Client
	revision   string
	argv       []string       // the program to start; nil: the project's server, or that elsewhere
	far        elsewhere      // the server at a URL
	extensions map[string]any // protocol extensions that the command supports
	lends      bool           // the project's server lets it list and ask the interceptors
	rules      string         // the folder of the interceptors, absolute; empty: that of the project
	streams    bool           // what tools of the project write to stderr is shown, whatever the settings say

	root     string             // of the project
	settings *operator.Settings // for its server; nil: those of the environment and the project

	session io.Closer
}

const otherServer = "\n\nA command after -- is started and used as the server instead of the project's, " +
	"or with --url one elsewhere."

// other reports whether the server is not the project's.
func (a *clientCommand) other() bool { return a.argv != nil || a.far.url != "" }

// flags adds the flags that these commands have in common.
func (a *clientCommand) flags(cmd *cobra.Command) {
	cmd.Long += otherServer
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the result as JSON")
	cmd.Flags().StringVar(&a.revision, "revision", "",
		"speak this `revision` of the protocol (default: the newest that has sessions)")
	a.far.add(cmd.Flags())
	completes(cmd, "revision", mcp.Versions())
}

// words splits the words of a command line at --, and checks the number of the words
// before it, which belong to the command itself.
func (a *clientCommand) words(cmd *cobra.Command, args []string, least, most int, what string) ([]string, error) {
	own, argv, err := splitAtDash(cmd, args)
	if err != nil {
		return nil, err
	}
	a.argv = argv
	return own, takes(least, most, what)(cmd, own)
}

// asks completes a command that asks a server once. It takes least to most words (-1: any number) of its own, as what
// says, from which prepare makes the calls; nil for none.
func (p program) asks(cmd *cobra.Command, least, most int, what string,
	prepare func(a *clientCommand, words []string) (calls func(context.Context) error, err error),
) *cobra.Command {
	a := &clientCommand{program: p}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		words, err := a.words(cmd, args, least, most, what)
		if err != nil {
			return err
		}
		calls, err := prepare(a, words)
		if calls == nil || err != nil {
			return err
		}
		return a.ask(calls)
	}
	a.flags(cmd)
	return cmd
}

// splitAtDash splits the words of a command line at --, which precedes the command of a server; argv is
// nil without one.
func splitAtDash(cmd *cobra.Command, args []string) (own, argv []string, err error) {
	at := cmd.ArgsLenAtDash()
	if at < 0 {
		return args, nil, nil
	}
	if own, argv = args[:at], args[at:]; len(argv) == 0 {
		return nil, nil, console.Usagef("-- must be followed by the command of a server")
	}
	return own, argv, nil
}

// open opens a session, unless ctx ends before. Close it.
func (a *clientCommand) open(ctx context.Context) error {
	if a.Out == nil { // mcp-bash dev prints otherwise
		a.Out, a.Terminal, a.Messages = a.out, isTerminal(a.out), a.console(a.err)
		a.Printer = func() *console.Console { return a.console(a.out) }
		a.People = a.audience()
	}
	if a.revision != "" && mcp.Lookup(a.revision) == nil {
		return console.Usagef("--revision %s: use one of %v", a.revision, mcp.Versions())
	}
	stderr := a.People.Stderr()
	if a.other() || a.far != (elsewhere{}) {
		stream, err := a.far.dial(a.program, a.argv, a.environ, stderr)
		if err != nil {
			return err
		}
		session, err := dial.Open(ctx, stream,
			dial.Options{Revision: a.revision, Audience: a.People, Version: version, Extensions: a.extensions})
		if err == nil {
			a.session, a.Server = session, session
		}
		return err
	}
	if a.settings == nil {
		root, s, complaints, err := a.served()
		if err != nil {
			return err
		}
		for _, c := range complaints {
			a.People.Out.Say("mcp-bash: %s", c)
		}
		a.root, a.settings = root, &s
	}
	a.settings.LendInterceptors, a.settings.Folders.Interceptors = a.lends, a.rules
	a.settings.StreamStderr = a.settings.StreamStderr || a.streams
	inside, err := a.serveInside(ctx, a.root, *a.settings, a.revision, a.extensions, a.People, stderr)
	if err == nil {
		a.session, a.Server = inside, inside
	}
	return err
}

// ask opens a session for one or more calls. An error response becomes a readable
// error, an interrupt the exit code 130.
func (a *clientCommand) ask(calls func(ctx context.Context) error) error {
	ctx, stop := untilEnded(context.Background())
	defer stop()
	err := a.open(ctx)
	if err == nil {
		defer a.session.Close()
		err = calls(ctx)
		a.People.Leave()
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return ask.Readable(err)
}

// audience returns the user at the terminal.
func (p program) audience() *ask.Audience {
	a := &ask.Audience{Out: p.console(p.err), Err: p.err, Lines: p.live(p.err)}
	if isTerminal(p.in) {
		a.In = bufio.NewReader(p.in)
	}
	return a
}
