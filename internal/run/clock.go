package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A timeout is why a script was ended by its clock.
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

// of is the same for a script that is not a tool.
func (t *timeout) of(path string) error { return fmt.Errorf("%s did not end within %v", path, t.limit) }

// seconds writes a duration as tool authors do: 30s, 0.5s.
func seconds(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }

// times are how long a script may run, without what its client takes to answer.
type times struct {
	limit   time.Duration // 0: for ever
	extends bool          // progress starts the limit anew
	most    time.Duration // of all, where progress does; 0: no limit
}

// A clock ends a context with a *timeout when its time is over. It stands still
// while a client is asked.
type clock struct {
	context context.Context
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	pauses int // how many have paused it: its time stands still
	alarms []*alarm
	idle   *alarm // one of them, which starts anew with progress; nil: none does
}

// An alarm goes off when its time is over.
type alarm struct {
	timeout
	timer *time.Timer // stopped while the clock is paused
	since time.Time   // it was set
	left  time.Duration
}

// startClock starts the clock of a script. Where progress extends it, the limit is
// for the time between two reports of progress.
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

// pause lets the time stand still until resume: the script waits for its client.
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

// resume ends a pause. The clock goes on when the last has ended.
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
