package server

import (
	"fmt"
	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// backlog is how many calls may wait for a slot.
const backlog = 1024

// unread is how many lines that are not messages are answered in a minute.
const unread = 100

// chain returns the stages that every message of a session passes: [middleware.Standard], with the two
// that decide what the session serves.
//
// To add your own stage, write it as in examples/custom-middleware and add it here, or, in your own
// program, return a longer list from [Options.Chain].
func (s *session) chain(methods *handlers.Methods) []pipeline.Middleware {
	o, limits, log := s.server.options, s.server.options.Limits, s.server.log
	logged := func(m *pipeline.Message) bool { // but not requests that clients send at every keystroke
		return methods.Slow(m) && m.Method() != "completion/complete"
	}
	stages := middleware.Standard(middleware.Settings{
		Dialect:    pipeline.MCP,
		Log:        log,
		Record:     middleware.Recording{To: o.Record, Version: Version, Project: o.ProjectRoot},
		MaxMessage: limits.Message,
		Trip:       middleware.Trip{Threshold: limits.Corrupt, Window: limits.CorruptWindow, Never: o.AllowCorrupt},
		Idle:       limits.Idle,
		Busy:       s.server.rounds.Working,
		Minimal:    o.Minimal,
		Batches:    s.batches(),
		Token:      o.Secret,
		Admit: []pipeline.Middleware{
			middleware.Stateless(methods.Knows),
			middleware.Lifecycle(s.agreed, middleware.Admission{
				Early: methods.Early,
				Knows: methods.Knows,
				Grace: limits.Shutdown,
				Log:   log,
			}),
		},
		Rates: middleware.Rates{
			Calls:    limits.Requests,
			Progress: limits.Progress,
			Logs:     limits.Logs,
			Unread:   unread,
			Flooded: func() {
				log.Warn("too many lines that are not messages: the next ones get no answer", "limit", unread, "in", "1m")
			},
			Counted: methods.Counted,
			Report:  s.families.Logging.Dropped,
		},
		Calls:   o.Calls,
		Observe: o.Observe,
		Logged:  logged,
		Slots:   s.server.slots,
		Slow:    methods.Slow,
		Limit:   methods.Limit,
	})
	stages = append(stages, interceptor.Stage(interceptor.Receiving, s.server.interceptors))
	if o.Chain != nil {
		stages = o.Chain(stages)
	}
	return stages
}

// Stages returns the list of stages that the messages of a session pass, for display: in the order
// of the chain, from the wire inwards. A stage without a door is off.
func Stages(o Options) []pipeline.Middleware {
	o.Limits = o.Limits.Resolved()
	s := &Server{options: o, log: slog.New(slog.DiscardHandler), slots: middleware.NewSlots(o.Limits.Calls, backlog)}
	sess := &session{server: s, agreed: &mcp.Session{}}
	stages := sess.chain(nil)
	for i := range stages {
		if stages[i].Name == "timeout" {
			stages[i].About = func() string {
				return fmt.Sprintf("methods that look at files; scripts end by themselves, tools after %v", o.Limits.ToolTimeout)
			}
		}
	}
	return stages
}
