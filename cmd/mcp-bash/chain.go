package main

import (
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// shared is what stages and handlers have in common.
type shared struct {
	settings settings
	session  *mcp.Session
	logging  handlers.Logging
	slow     func(*pipeline.Message) bool // whether a call may take long
	record   io.Writer                    // where messages are recorded; nil for nowhere
	log      *slog.Logger
}

// backlog is how many calls may wait for a worker.
const backlog = 1024

// chain lists the stages that every message passes, from the wire inwards: the
// first stage is the first to see what comes in and the last to see what goes
// out. The order matters: a stage feels those below it and knows nothing of
// those above.
//
// To add a stage of your own, write it as in examples/custom-middleware and add
// a line here.
func chain(s shared) []pipeline.Middleware {
	return []pipeline.Middleware{
		middleware.Record(s.record, []string{s.settings.remote.Token}, s.log),
		middleware.OutputGuard(s.settings.maxMessage),
		middleware.Breaker(middleware.Trip{
			Threshold: s.settings.corruptThreshold,
			Window:    s.settings.corruptWindow,
			Never:     s.settings.allowCorrupt,
		}, s.log),
		middleware.Idle(s.settings.idle, nil),
		middleware.Sanitize(),
		middleware.Batch(func() bool { return s.settings.batches || s.session.Revision().Batches }),
		middleware.Token(s.settings.remote, s.log),
		middleware.Stateless(),
		middleware.Lifecycle(s.session, s.settings.drain),
		middleware.RateLimit(middleware.Rates{
			Calls:    s.settings.requestsPerMin,
			Progress: s.settings.progressPerMin,
			Logs:     s.settings.logsPerMin,
			Report:   s.logging.Dropped,
		}),
		middleware.Cancel(s.log),
		middleware.Workers(middleware.NewSlots(max(1, s.settings.maxCalls), backlog), s.slow, nil),
		middleware.Timeout(limit),
		middleware.Recover(s.log),
	}
}

// limit is how long a call may take. Scripts have limits of their own, which
// tell what happened and stand still while the client is asked, and a stream of
// changes is open until somebody ends it; the rest is quick.
func limit(m *pipeline.Message) time.Duration {
	switch m.Method() {
	case "tools/call", "prompts/get", "subscriptions/listen":
		return 0
	}
	return time.Minute
}

// chainCommand prints the list.
func chainCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "chain",
		Short: "List the stages that every message passes",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
			for _, stage := range chain(shared{session: &mcp.Session{}, record: io.Discard, log: slog.New(slog.DiscardHandler)}) {
				fmt.Fprintf(w, "%s\t%s\n", stage.Name, doors(stage))
			}
			return w.Flush()
		},
	}
}

func doors(m pipeline.Middleware) string {
	switch {
	case m.Outbound == nil:
		return "in"
	case m.Inbound == nil:
		return "out"
	}
	return "in, out"
}
