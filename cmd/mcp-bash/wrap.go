package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func wrapCommand(p program) *cobra.Command {
	var o wrapOptions
	cmd := &cobra.Command{
		Use:   "wrap [FLAGS] -- COMMAND [ARG...] | wrap [FLAGS] --url URL | wrap --accept FILE [NAME...]",
		Short: "Put the stages in front of any other server",
		Long: `Start a server that somebody else wrote, and pass all that it and its client say to each
other through the stages of ` + "`mcp-bash chain`" + `: size and rate limits, the time limit of --timeout,
a log of calls, a recording, a trace. What a rule does not take out passes byte for byte and in
order, both ways, in every revision of MCP. If the server prints anything else, it is kept
off the client's stream. When the client leaves, the server ends, with all that it has started.

In a client's file, put it in front of the command that is there:

    {"command": "mcp-bash", "args": ["wrap", "--deny", "delete_*", "--", "npx", "some-server"]}`,
		Example: `  mcp-bash wrap -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  mcp-bash wrap --allow 'read_*' --allow 'list_*' -- some-server
  mcp-bash wrap --pin some-server.json -- some-server
  mcp-bash wrap --interceptors ~/rules -- some-server
  mcp-bash wrap --accept some-server.json
  mcp-bash wrap --restart -- some-server
  mcp-bash wrap --url https://mcp.example/mcp --token-file ~/.token
  mcp-bash wrap --timeout 30 --record session.ndjson -- some-server
  mcp-bash call read_file path=a.txt -- mcp-bash wrap -- some-server`,
		RunE: func(cmd *cobra.Command, args []string) error {
			own, argv, err := splitAtDash(cmd, args)
			switch {
			case err != nil:
				return err
			case cmd.Flags().Changed("accept"):
				return p.acceptPins(o, own, argv)
			case argv == nil && o.elsewhere.url == "":
				return console.Usagef("name the command of a server after --, as in `mcp-bash wrap -- some-server`, or its --url")
			case len(own) > 0:
				return console.Usagef("%s comes before --; only flags do", own[0])
			}
			return p.host("", func(h *host) error { return h.wrap(p, o, argv) })
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.Allow, "allow", nil,
		"show only the tools that `pattern` matches, such as 'read_*'; can be repeated")
	f.StringArrayVar(&o.Deny, "deny", nil, "hide the tools that `pattern` matches; can be repeated")
	f.StringVar(&o.Pins, "pin", "",
		"keep the definitions of tools, prompts and resources in this `file`, and withhold what changes later")
	f.StringVar(&o.Interceptors, "interceptors", "",
		"apply the interceptors in `dir`, a project or a folder of them, in a client's order")
	f.StringVar(&o.accept, "accept", "",
		"show what is withheld in this `file` of --pin, all or the NAMEs, and accept it; starts no server")
	f.Float64Var(&o.seconds, "timeout", 0,
		"answer a call with an error after so many `seconds` (default: the server decides)")
	f.BoolVar(&o.Restart, "restart", false,
		"when the server has ended, start it again at the next call (default: end, too)")
	f.StringArrayVar(&o.env, "env", nil, "set a variable of the server, `NAME=VALUE`; can be repeated")
	f.StringVar(&o.name, "name", "", "call it `name` in the log and in `mcp-bash watch` (default: the command)")
	o.elsewhere.add(f)
	o.record.Flags(f)
	o.trace.add(cmd)
	o.log.add(cmd)
	cmd.Args = cobra.ArbitraryArgs
	return cmd
}

// wrapOptions are the options of wrap.
type wrapOptions struct {
	server.Wrapping
	elsewhere
	accept  string
	seconds float64
	env     []string
	name    string
	hostFlags
}

// check returns what is wrong with the flags.
func (o wrapOptions) check() error {
	if err := checkSeconds("--timeout", o.seconds); o.seconds != 0 && err != nil {
		return err
	}
	for _, pair := range o.env {
		if at := strings.IndexByte(pair, '='); at < 1 {
			return fmt.Errorf("--env %s: write NAME=VALUE", pair)
		}
	}
	return nil
}

// wrap serves another server until its client disconnects.
func (h *host) wrap(p program, o wrapOptions, argv []string) error {
	if err := o.check(); err != nil {
		return console.UsageError{Err: err}
	}
	far, err := o.elsewhere.server(p, argv)
	if err != nil {
		return err
	}
	settings, complaints := operator.Read(p.env)
	if err := h.begin(settings, p.env, complaints, o.hostFlags); err != nil {
		return err
	}
	settings, log, ending := h.settings, h.log, h.ending
	if o.name == "" {
		o.name = cmp.Or(strings.Join(argv, " "), far.Name())
	}
	h.board.Wraps(o.name)
	options := settings.ServerOptions(p.env, log)
	options.Environ, options.HookEnv = append(slices.Clone(p.environ), o.env...), operator.HookEnvironment(p.env)
	options.Guard, options.AdoptOrphans = server.GuardCommand(), true
	options.Program, _ = os.Executable() // without it, scripts have the jq of the machine
	options.Record, options.Trace, options.Observe = h.record, h.trace, h.board.Observe
	options.Intercepted = h.board.Intercepted
	if settings.LogCalls {
		options.Calls = log
	}
	if h.stateless != nil {
		log.Debug("`mcp-bash watch` cannot show this server", "error", h.stateless)
	} else {
		options.StateDir = h.state.Path
		sweep := claim(settings, h.state)
		if shown, err := status.Listen(h.state.Path, h.board); err == nil {
			defer shown.Close()
		}
		go sweep(ending.Context)
	}
	o.Command, o.Stderr, o.LastWords = argv, h.stderr, 1<<10
	o.URL, o.Token = far.URL, far.Token
	o.Timeout = time.Duration(o.seconds * float64(time.Second))
	wrapped, err := server.Wrap(ending.Context, o.Wrapping, options)
	if err != nil {
		return console.UsageError{Err: err}
	}
	defer wrapped.Close()
	hurry := context.AfterFunc(ending.Context, func() { _ = wrapped.Close() })
	defer hurry()
	log.Info("wrapping", "version", version, "command", o.name)
	serving.WhenUnread(h.out, func() { ending.Stop(serving.ErrUnread) })
	in := h.input()
	ending.Caught() // before a client is answered
	err = wrapped.Serve(ending.Context, pipeline.NewNDJSON(in, h.out, max(settings.Limits.Resolved().Message, 0)))
	reason := cmp.Or(context.Cause(ending.Context), err, error(pipeline.EndOfInput))
	h.life.LogEnd(reason)
	return serving.Failure(err)
}
