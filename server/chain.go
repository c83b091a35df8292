package server

import (
	"io"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// backlog is how many calls of a session may wait for a worker.
const backlog = 1024

// chain lists the stages that every message passes, from the wire inwards: the
// first stage is the first to see what comes in and the last to see what goes
// out. The order matters: a stage feels those below it and knows nothing of
// those above.
//
// To add a stage of your own, write it as in examples/custom-middleware and add
// a line here, or, in a program of your own, return a longer list from
// [Options.Chain].
func (s *session) chain(slow map[string]bool) []pipeline.Middleware {
	o, limits, log := s.server.options, s.server.options.Limits, s.server.log
	stages := []pipeline.Middleware{
		middleware.OutputGuard(limits.Message),
		middleware.Breaker(middleware.Trip{
			Threshold: limits.Corrupt,
			Window:    limits.CorruptWindow,
			Never:     o.AllowCorrupt,
		}, log),
		middleware.Record(o.Record, redact.Rules{Secrets: []string{o.Secret.Token}}, log),
		middleware.Idle(limits.Idle),
		middleware.Sanitize(),
		middleware.Batch(func() bool { return o.Batches || s.agreed.Revision().Batches }),
		middleware.Token(o.Secret, log),
		middleware.Stateless(),
		middleware.Lifecycle(s.agreed, limits.Shutdown),
		middleware.RateLimit(middleware.Rates{
			Calls:    limits.Requests,
			Progress: limits.Progress,
			Logs:     limits.Logs,
			Report:   s.families.Logging.Dropped,
		}),
		middleware.Cancel(log),
		middleware.Workers(limits.Calls, backlog, func(m *pipeline.Message) bool { return slow[m.Method()] }),
		middleware.Timeout(limit),
		middleware.Recover(log),
	}
	if o.Chain != nil {
		stages = o.Chain(stages)
	}
	return stages
}

// Stages returns the list of stages that the messages of a session pass, for
// people to look at: in the order of the chain, from the wire inwards.
func Stages(o Options) []pipeline.Middleware {
	o.Limits, o.Record = o.Limits.resolved(), io.Discard
	s := &Server{options: o, log: slog.New(slog.DiscardHandler)}
	one := &session{server: s, agreed: &mcp.Session{}}
	return one.chain(nil)
}

// limit is how long a call may take. Scripts have limits of their own, which
// say what happened and stand still while the client is asked, and a stream of
// changes is open until somebody ends it; the rest is quick.
func limit(m *pipeline.Message) time.Duration {
	switch m.Method() {
	case "tools/call", "prompts/get", "subscriptions/listen":
		return 0
	}
	return time.Minute
}
