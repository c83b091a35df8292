package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A timeout is the error of a script that was ended by its clock.
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

// seconds formats a duration as tool authors write it: 30s, 0.5s.
func seconds(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }

// times are the time limits of a script. The time that its client takes to answer does not count.
type times struct {
	limit   time.Duration // 0: no limit
	extends bool          // progress restarts the limit
	most    time.Duration // limit of the whole run, where progress extends it; 0: no limit
}

// A clock cancels a context with a *timeout when its time is over. It is paused
// while a client is asked.
type clock struct {
	context context.Context
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	pauses int // nested calls of pause; the clock runs while it is 0
	alarms []*alarm
	idle   *alarm // the one of alarms that progress restarts; nil: none
}

// An alarm is one time limit of a clock.
type alarm struct {
	timeout
	timer *time.Timer // stopped while the clock is paused
	since time.Time   // when the timer was set
	left  time.Duration
}

// startClock starts the clock of a script. Where progress extends it, the limit
// applies to the time between two reports of progress.
func startClock(ctx context.Context, t times) *clock {
	k := &clock{}
	k.context, k.cancel = context.WithCancelCause(ctx)
	switch {
	case t.limit <= 0:
	case !t.extends:
		k.after("fixed", t.limit)
	default:
		k.idle = k.after("idle", t.limit)
		if t.most > 0 {
			k.after("max_exceeded", t.most)
		}
	}
	return k
}

func (k *clock) after(reason string, limit time.Duration) *alarm {
	a := &alarm{timeout: timeout{reason, limit}, left: limit}
	k.alarms = append(k.alarms, a)
	k.set(a)
	return a
}

func (k *clock) set(a *alarm) {
	a.since = time.Now()
	a.timer = time.AfterFunc(a.left, func() { k.cancel(&a.timeout) })
}

func (k *clock) progress() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == nil || k.context.Err() != nil {
		return
	}
	k.idle.left = k.idle.limit
	if k.pauses == 0 {
		k.idle.timer.Stop()
		k.set(k.idle)
	}
}

// pausedWhileAsking returns c with the clock paused while its client is asked.
func (k *clock) pausedWhileAsking(c sdk.Call) sdk.Call {
	if ask := c.Ask; ask != nil {
		c.Ask = func(ctx context.Context, questions ...sdk.Question) []sdk.Answer {
			k.pause()
			defer k.resume()
			return ask(ctx, questions...)
		}
	}
	if roots := c.Roots; roots != nil {
		c.Roots = func(ctx context.Context) ([]string, error) {
			k.pause()
			defer k.resume()
			return roots(ctx)
		}
	}
	return c
}

// pause stops the time until resume. Calls can be nested.
func (k *clock) pause() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pauses++
	if k.pauses > 1 {
		return
	}
	for _, a := range k.alarms {
		a.timer.Stop()
		a.left -= time.Since(a.since)
	}
}

// resume ends a pause. The clock runs again when all pauses have ended.
func (k *clock) resume() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pauses--
	if k.pauses > 0 || k.context.Err() != nil {
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
