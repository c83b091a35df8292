package main

import (
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"

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
	methods  handlers.Methods
	slots    *middleware.Slots // for the scripts of all sessions
	working  func() bool       // whether something is at work that outlives its call; nil: never
	record   io.Writer         // where messages are recorded; nil for nowhere
	log      *slog.Logger
}

// backlog is how many calls may wait for a slot.
const backlog = 1024

// newSlots makes the slots for the scripts of a server.
func newSlots(s settings) *middleware.Slots {
	return middleware.NewSlots(max(1, s.maxCalls), backlog)
}

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
		middleware.Idle(s.settings.idle, s.working),
		middleware.Sanitize(),
		middleware.Batch(func() bool { return s.settings.batches || s.session.Revision().Batches }),
		middleware.Token(s.settings.remote, s.log),
		middleware.Stateless(s.methods.Knows),
		middleware.Lifecycle(s.session, middleware.Admission{
			Early: s.methods.Early,
			Knows: s.methods.Knows,
			Grace: s.settings.drain,
		}),
		middleware.RateLimit(middleware.Rates{
			Calls:    s.settings.requestsPerMin,
			Progress: s.settings.progressPerMin,
			Logs:     s.settings.logsPerMin,
			Counted:  s.methods.Counted,
			Report:   s.logging.Dropped,
		}),
		middleware.Cancel(s.log),
		middleware.Workers(s.slots, nil, s.methods.Slow),
		middleware.Timeout(s.methods.Limit),
		middleware.Recover(s.log),
	}
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
