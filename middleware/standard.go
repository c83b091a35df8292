package middleware

import (
	"log/slog"
	"slices"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Settings are those of [Standard]. In the zero value a stage that takes a limit, a log or a list of its
// own does nothing, and stages for a session are left out.
type Settings struct {
	Dialect pipeline.Dialect
	Log     *slog.Logger // nil: slog.Default

	Record     Recording
	Secrets    []string // what is never recorded
	MaxMessage int      // the most bytes of a message that leaves; 0: no limit
	Trip       Trip
	Idle       time.Duration // see [Idle]
	Busy       func() bool
	Minimal    bool
	Batches    func() bool // whether the session has batches; nil: it has
	Token      Secret
	Admit      []pipeline.Middleware // decide what a session serves: in MCP [Stateless] and [Lifecycle]
	Rates      Rates
	Calls      *slog.Logger // see [CallLog]
	Observe    CallObserver
	Logged     func(*pipeline.Message) bool
	Slots      *Slots // nil: there is no stage [Workers]
	Slow       func(*pipeline.Message) bool
	Limit      func(*pipeline.Message) time.Duration // nil: there is no stage [Timeout]
}

// Standard lists the stages that every message passes, from the wire inwards: the first stage is the
// first to see incoming messages and the last to see outgoing ones. The order matters: a stage is
// affected by those below it and independent of those above. It is the chain of a project that is
// served, and of any other server that is put behind a pipeline.
func Standard(s Settings) []pipeline.Middleware {
	batches := s.Batches
	if batches == nil {
		batches = func() bool { return true }
	}
	stages := []pipeline.Middleware{
		Record(s.Record, slices.Concat(s.Secrets, []string{s.Token.Token}), s.Log),
		OutputGuard(s.MaxMessage),
		Breaker(s.Trip, s.Log),
		Idle(s.Idle, s.Busy),
		Sanitize(),
		Minimal(s.Minimal),
		Batch(s.Dialect, batches),
		Token(s.Token, s.Log),
		Cancel(s.Dialect, s.Log),
	}
	stages = append(stages, s.Admit...)
	stages = append(stages, CallLog(s.Dialect, s.Calls, s.Observe, s.Logged), RateLimit(s.Dialect, s.Rates))
	if s.Slots != nil {
		stages = append(stages, Workers(s.Slots, nil, s.Slow))
	}
	if s.Limit != nil {
		stages = append(stages, Timeout(s.Limit))
	}
	return append(stages, Recover(s.Log))
}
