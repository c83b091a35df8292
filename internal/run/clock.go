package run

import (
	"context"
	"fmt"
	"sync"
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

	mu     sync.Mutex
	held   int // how many hold it: its time stands still
	alarms []*alarm
	idle   *alarm // one of them, which starts anew with progress; nil: none does
}

// An alarm goes off when its time is over.
type alarm struct {
	timeout
	timer *time.Timer // stopped while the clock is held
	since time.Time   // it was set
	left  time.Duration
}

// startClock starts the clock of a call: the client's limit, else the tool's,
// else the server's. Where progress extends it, the limit is for the time
// between two progress notifications, and a second one for all of it.
func (r *Runtime) startClock(ctx context.Context, c Call) *clock {
	k := &clock{}
	k.context, k.cancel = context.WithCancelCause(ctx)
	limit := r.Limits.Timeout
	if c.Tool.Timeout != nil {
		limit = *c.Tool.Timeout
	}
	if c.Timeout != nil {
		limit = *c.Timeout
	}
	if limit <= 0 {
		return k
	}
	extends := r.Limits.ExtendOnProgress
	if c.Tool.ProgressExtendsTimeout != nil {
		extends = *c.Tool.ProgressExtendsTimeout
	}
	if !extends {
		k.after("fixed", limit)
		return k
	}
	k.idle = k.after("idle", limit)
	most := or(r.Limits.Extended, defaultExtended)
	if c.Tool.MaxTimeout != nil {
		most = *c.Tool.MaxTimeout
	}
	if most > 0 {
		k.after("max_exceeded", most)
	}
	return k
}

func (k *clock) after(reason string, limit time.Duration) *alarm {
	a := &alarm{timeout: timeout{reason, limit}, left: limit}
	k.alarms = append(k.alarms, a)
	k.set(a)
	return a
}

// set starts an alarm with the time it has left.
func (k *clock) set(a *alarm) {
	a.since = time.Now()
	a.timer = time.AfterFunc(a.left, func() { k.cancel(&a.timeout) })
}

// progress starts the time anew, where progress does that.
func (k *clock) progress() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == nil || k.context.Err() != nil {
		return
	}
	k.idle.left = k.idle.limit
	if k.held == 0 {
		k.idle.timer.Stop()
		k.set(k.idle)
	}
}

// hold lets the time stand still until release: the tool waits for its client.
func (k *clock) hold() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held++
	if k.held > 1 {
		return
	}
	for _, a := range k.alarms {
		a.timer.Stop()
		a.left -= time.Since(a.since)
	}
}

// release ends a hold.
func (k *clock) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held--
	if k.held > 0 || k.context.Err() != nil {
		return
	}
	for _, a := range k.alarms {
		k.set(a)
	}
}

func (k *clock) stop() {
	k.cancel(nil)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, a := range k.alarms {
		a.timer.Stop()
	}
}
