package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/explain"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func explainCommand(p program) *cobra.Command {
	var session, page string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain FILE [ID|LINE]",
		Short: "Tell what happened in a recording",
		Long: `Tell what happened in a recording of ` + "`serve`, `wrap` or `mcp-http`" + ` with --record, or of ` +
			"`debug`" + `:
its calls, those that failed first, then the slowest. With the id of a call, or the number of
a line of the client, the life of that message: what came, what stages and scripts did with
it, what left, and what the client did next. Recordings with --record-steps have most to tell.

--html writes a page with all of it, which needs nothing else and can be attached to a report.
Look for secrets first: only members with names such as password are left out.`,
		Example: `  mcp-bash serve --record session.rec --record-steps
  mcp-bash explain session.rec
  mcp-bash explain session.rec 7
  mcp-bash explain --html session.html session.rec`,
		Args: takes(1, 2, "a recording, and at most one id or line"),
		RunE: func(_ *cobra.Command, args []string) error {
			report, err := explain.Read(args[0], session)
			if err != nil {
				return console.UsageError{Err: err}
			}
			if page != "" {
				return p.explainPage(report, page)
			}
			what := report.Messages
			if len(args) == 2 {
				if what = report.Find(args[1]); what == nil {
					return fmt.Errorf("%s: no call has the id %s, and no line of a client that number; `mcp-bash explain %s` "+
						"lists the calls", args[0], args[1], console.Quote(args[0]))
				}
			}
			switch {
			case asJSON:
				report.Messages = what
				return p.console(p.out).JSON(report)
			case len(args) == 1:
				report.Table(p.console(p.out))
				return nil
			}
			return p.explainMessages(report, what)
		},
	}
	f := cmd.Flags()
	f.StringVar(&session, "session", "", "only this session, by its `name` or number")
	f.StringVar(&page, "html", "", "write a page into this `file`, or - for stdout")
	f.BoolVar(&asJSON, "json", false, "print the messages as JSON, each with its steps and outcome")
	return cmd
}

// explainMessages prints the lives of messages.
func (p program) explainMessages(report *explain.Report, messages []*explain.Message) error {
	var o trace.Options
	if p.live(p.out) {
		o.Colour, o.Columns = p.env["NO_COLOR"] == "", func() int { return columns(p.out) }
	}
	for i, m := range messages {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		if err := report.Life(p.out, o, m); err != nil {
			return err
		}
	}
	return nil
}

func (p program) explainPage(report *explain.Report, path string) error {
	text, err := report.Page()
	if err != nil {
		return err
	}
	if path == "-" {
		_, err := p.out.Write(text)
		return err
	}
	if err := files.Rewrite(path, text, 0o600); err != nil {
		return console.Usagef("--html: %w", err)
	}
	p.console(p.out).OK("%s: %s; open it in a browser", path, console.Count(len(report.Messages), "message"))
	return nil
}
