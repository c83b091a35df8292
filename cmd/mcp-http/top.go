package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
)

func topCommand(ctx context.Context, stdout io.Writer) *cobra.Command {
	var o clusterOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "top --cluster URL --cluster-name NAME",
		Short: "Show the replicas and workers of a cluster, and the calls at work",
		Long: `Show the replicas and workers that know of each other through a NATS server, and the calls that
they have at work: the tool, its age, the replica that has the client, and the worker that runs it.
ENDED counts the calls that have ended, REFUSED what interceptors have refused.

On a terminal it is drawn anew each second, until ctrl-c; elsewhere, and with --json, it is printed
once.`,
		Example: `  mcp-http top --cluster nats://nats.example:4222 --cluster-name my-tools
  mcp-http top --cluster nats://nats.example:4222 --cluster-name my-tools --json` +
			` | jq '.[] | select(.kind == "worker")'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return top(ctx, stdout, o, asJSON) },
	}
	cmd.SetOut(stdout)
	cmd.Flags().SortFlags = false
	o.flags(cmd, "the `URL` of the NATS server")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what each of them reports as JSON, once")
	return cmd
}

// answerTime is how long replicas and workers may take to answer.
const answerTime = 500 * time.Millisecond

func top(ctx context.Context, stdout io.Writer, o clusterOptions, asJSON bool) error {
	switch {
	case o.url == "":
		return usageError{errors.New("--cluster is missing: the URL of the NATS server")}
	case o.name == "":
		return usageError{errors.New("--cluster-name is missing: the log of each replica and worker says it at the start, " +
			"as cluster=NAME")}
	}
	if err := o.check(); err != nil {
		return usageError{err}
	}
	with, err := o.natsOptions(slog.New(slog.DiscardHandler))
	if err != nil {
		return usageError{err}
	}
	conn, err := natscluster.Dial(with)
	if err != nil {
		return fmt.Errorf("--cluster: cannot use NATS: %w", err)
	}
	defer conn.Close()
	survey := func(ctx context.Context) ([]calls.Status, error) { return calls.Survey(ctx, conn, o.name, answerTime) }
	if terminal, ok := stdout.(*os.File); ok && !asJSON && term.IsTerminal(int(terminal.Fd())) {
		return topLive(ctx, terminal, survey)
	}
	all, err := survey(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("cannot ask the replicas and workers: %w", err)
	case asJSON:
		return console.New(stdout, false).JSON(all)
	}
	_, err = io.WriteString(stdout, topText(all, time.Now()))
	return err
}

// topText returns the status as text for people.
func topText(all []calls.Status, now time.Time) string {
	if len(all) == 0 {
		return "No replica or worker answers.\n"
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(cells ...any) { fmt.Fprintln(t, joined(cells)) }
	row("KIND", "NAME", "HOST", "PID", "SLOTS", "RUNNING", "WAITING", "ENDED", "REFUSED", "UP", "VERSION", "PROJECT")
	for _, s := range all {
		slots := "-"
		switch {
		case s.Remote:
			slots = "remote"
		case s.Slots > 0:
			slots = fmt.Sprint(s.Slots)
		}
		row(s.Kind, s.Name, s.Host, s.PID, slots, s.Running, s.Waiting, s.Calls, s.Refused,
			console.Age(now.Sub(s.Since)), s.Version, s.Project)
	}
	if work := atWork(all); len(work) > 0 {
		row()
		row("CALL", "AGE", "REPLICA", "WORKER")
		for _, c := range work {
			row(c.tool, console.Age(now.Sub(c.began)), cmp.Or(c.replica, "-"), cmp.Or(c.worker, "-"))
		}
	}
	_ = t.Flush() // writing to b never fails
	return b.String()
}

// joined returns a row of a table as a line.
func joined(cells []any) string {
	var texts []string
	for _, c := range cells {
		texts = append(texts, strings.NewReplacer("\t", " ", "\n", " ").Replace(console.Plain(fmt.Sprint(c))))
	}
	return strings.Join(texts, "\t")
}

// A call is a running call, as its replica and its worker report it.
type call struct {
	tool            string
	began           time.Time
	replica, worker string
}

// atWork merges the reports of replicas and workers about the same calls, the oldest call first.
func atWork(all []calls.Status) []*call {
	var work []*call
	byID := make(map[string]*call)
	for _, s := range all {
		for _, f := range s.InFlight {
			c := byID[f.ID]
			if c == nil || f.ID == "" {
				c = &call{tool: f.Tool, began: f.Began}
				work = append(work, c)
				byID[f.ID] = c
			}
			if s.Kind == "worker" {
				c.worker, c.replica = s.Name, cmp.Or(c.replica, f.With)
			} else {
				c.replica, c.worker = s.Name, cmp.Or(c.worker, f.With)
			}
		}
	}
	slices.SortStableFunc(work, func(a, b *call) int { return a.began.Compare(b.began) })
	return work
}

// topLive draws what survey returns until ctx or the user ends it.
func topLive(ctx context.Context, terminal *os.File, survey func(context.Context) ([]calls.Status, error)) error {
	return screen.Live(ctx, os.Stdin, terminal, func(ctx context.Context, _ int) []screen.Row {
		all, err := survey(ctx)
		text := topText(all, time.Now())
		if err != nil {
			text = "NATS cannot be reached: " + err.Error() + "\n"
		}
		rows := []screen.Row{{Text: time.Now().Format(time.TimeOnly) + " · ctrl-c ends"}, {}}
		for line := range strings.Lines(text) {
			rows = append(rows, screen.Row{Text: strings.TrimSuffix(line, "\n")})
		}
		return rows
	})
}
