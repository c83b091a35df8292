package server

import (
	"io"
	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// backlog is how many calls may wait for a slot.
const backlog = 1024

// unread is how many lines that are no messages are answered in a minute.
const unread = 100

// chain lists the stages that every message passes, from the wire inwards: the first stage is the
// first to see incoming messages and the last to see outgoing ones. The order matters: a stage is
// affected by those below it and independent of those above.
//
// To add your own stage, write it as in examples/custom-middleware and add a line here, or, in your
// own program, return a longer list from [Options.Chain].
func (s *session) chain(methods *handlers.Methods) []pipeline.Middleware {
	o, limits, log := s.server.options, s.server.options.Limits, s.server.log
	logged := func(m *pipeline.Message) bool { // but not requests that clients send at every keystroke
		return methods.Slow(m) && m.Method() != "completion/complete"
	}
	stages := []pipeline.Middleware{
		middleware.Record(o.Record, []string{o.Secret.Token}, log),
		middleware.OutputGuard(limits.Message),
		middleware.Breaker(middleware.Trip{
			Threshold: limits.Corrupt,
			Window:    limits.CorruptWindow,
			Never:     o.AllowCorrupt,
		}, log),
		middleware.Idle(limits.Idle, s.server.rounds.Working),
		middleware.Sanitize(),
		middleware.Minimal(o.Minimal),
		middleware.Batch(s.batches()),
		middleware.Token(o.Secret, log),
		middleware.Cancel(pipeline.MCP, log),
		middleware.Stateless(methods.Knows),
		middleware.Lifecycle(s.agreed, middleware.Admission{
			Early: methods.Early,
			Knows: methods.Knows,
			Grace: limits.Shutdown,
			Log:   log,
		}),
		middleware.RateLimit(middleware.Rates{
			Calls:    limits.Requests,
			Progress: limits.Progress,
			Logs:     limits.Logs,
			Unread:   unread,
			Flooded: func() {
				log.Warn("too many lines that are no messages: the next ones get no answer", "limit", unread, "in", "1m")
			},
			Counted: methods.Counted,
			Report:  s.families.Logging.Dropped,
		}),
		middleware.CallLog(o.Calls, o.Observe, logged),
		middleware.Workers(s.server.slots, nil, methods.Slow),
		middleware.Timeout(methods.Limit),
		middleware.Recover(log),
	}
	if o.Chain != nil {
		stages = o.Chain(stages)
	}
	return stages
}

// Stages returns the list of stages that the messages of a session pass, for display: in the order
// of the chain, from the wire inwards.
func Stages(o Options) []pipeline.Middleware {
	o.Limits, o.Record = o.Limits.Resolved(), io.Discard
	s := &Server{options: o, log: slog.New(slog.DiscardHandler), slots: middleware.NewSlots(1, 1)}
	sess := &session{server: s, agreed: &mcp.Session{}}
	return sess.chain(nil)
}
