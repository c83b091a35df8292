package script

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A stop ends one command before its time: it asks it to end, kills it after the grace
// period, and gives up on what not even that ends. Whoever gives the order does the work, so
// that nobody has to wait for orders. Several may give one.
type stop struct {
	ctx    context.Context // of the run
	family family
	grace  time.Duration // 0 means DefaultGrace
	giveUp func()        // called at most once, and not after over

	mu     sync.Mutex
	ended  bool        // the command has: nothing is done to it any more
	killed bool        // it was
	cause  error       // why the first order came; nil: there was none
	until  time.Time   // the end of the grace period
	timer  *time.Timer // until the next step
}

// order begins to end the command: since its context is done, or else since the Runner is
// closed. A limit, if there is one, brings the end of the grace period forward.
func (s *stop) order(limit time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.cause == nil {
		grace := cmp.Or(s.grace, DefaultGrace)
		s.cause, s.until = cmp.Or(context.Cause(s.ctx), ErrClosed), time.Now().Add(grace)
		if grace <= 0 {
			s.kill()
			return
		}
		s.family.ask()
		s.timer = time.AfterFunc(grace, s.graceIsOver)
	}
	if !s.killed && !limit.IsZero() && limit.Before(s.until) {
		s.timer.Reset(time.Until(limit))
	}
}

func (s *stop) graceIsOver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended && !s.killed {
		s.kill()
	}
}

// kill ends the command. The caller holds mu.
func (s *stop) kill() {
	s.killed = true
	s.family.kill()
	s.timer = time.AfterFunc(stuck, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.ended {
			s.giveUp()
		}
	})
}

// over says that the command has ended, or that nobody waits for it any more. It returns the
// end of the grace period, and why it was asked to end, or nil.
func (s *stop) over() (until time.Time, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.until, s.cause
}
