package tool

import (
	"context"
	"fmt"
	"time"
)

// A timeout is why a tool was ended by the clock.
type timeout struct {
	reason string // "fixed", "idle" or "max_exceeded"
	limit  time.Duration
}

func (t *timeout) Error() string {
	switch t.reason {
	case "idle":
		return fmt.Sprintf("Tool timed out after %s (no progress reported)", seconds(t.limit))
	case "max_exceeded":
		return fmt.Sprintf("Tool exceeded maximum runtime of %s", seconds(t.limit))
	default:
		return fmt.Sprintf("Tool timed out after %s", seconds(t.limit))
	}
}

// seconds writes a duration as tool authors do: 30s, 0.5s.
func seconds(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }

// A clock ends a context with a *timeout when its time is over.
type clock struct {
	context context.Context
	cancel  context.CancelCauseFunc
	timers  []*time.Timer
	idle    *time.Timer   // starts anew with progress; nil: does not
	limit   time.Duration // of idle
}

// startClock starts the clock of a call: the client's limit, else the tool's,
// else the server's. Where progress extends it, the limit is for the time
// between two progress notifications, and a second one for all of it.
func (r *Runtime) startClock(ctx context.Context, c Call) *clock {
	k := &clock{limit: r.Limits.Timeout}
	k.context, k.cancel = context.WithCancelCause(ctx)
	if c.Tool.Timeout != nil {
		k.limit = *c.Tool.Timeout
	}
	if c.Timeout != nil {
		k.limit = *c.Timeout
	}
	if k.limit <= 0 {
		return k
	}
	extends := r.Limits.ExtendOnProgress
	if c.Tool.ProgressExtendsTimeout != nil {
		extends = *c.Tool.ProgressExtendsTimeout
	}
	if !extends {
		k.after("fixed", k.limit)
		return k
	}
	k.idle = k.after("idle", k.limit)
	most := or(r.Limits.Extended, defaultExtended)
	if c.Tool.MaxTimeout != nil {
		most = *c.Tool.MaxTimeout
	}
	if most > 0 {
		k.after("max_exceeded", most)
	}
	return k
}

func (k *clock) after(reason string, limit time.Duration) *time.Timer {
	t := time.AfterFunc(limit, func() { k.cancel(&timeout{reason, limit}) })
	k.timers = append(k.timers, t)
	return t
}

// progress starts the time anew, where progress does that.
func (k *clock) progress() {
	if k.idle != nil && k.context.Err() == nil {
		k.idle.Reset(k.limit)
	}
}

func (k *clock) stop() {
	for _, t := range k.timers {
		t.Stop()
	}
	k.cancel(nil)
}
