package process

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A stop ends one command early: it asks the command to end, kills it after the grace period,
// and gives up if it survives even that. The work is done by the goroutine that calls requestEnd, so
// that none has to wait for that. Several goroutines may call it.
type stop struct {
	ctx   context.Context // of the run
	grace time.Duration   // 0 means DefaultGrace

	mu     sync.Mutex
	family family      // nil before the command has started
	giveUp func()      // called at most once, and never after over
	ended  bool        // the command has ended: nothing is done to it any more
	killed bool        // the command was killed
	cause  error       // why requestEnd was first called; nil: it was not
	until  time.Time   // the end of the grace period
	timer  *time.Timer // until the next step
}

// started is called when the command has started.
func (s *stop) started(f family, giveUp func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.family, s.giveUp = f, giveUp
}

// requestEnd starts ending the command, because its context is done or the Runner is closed. A
// limit that is not zero can shorten the grace period. Before the command has started it does nothing.
func (s *stop) requestEnd(limit time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.family == nil {
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

// over is called when the command has ended, or is given up. It returns the end of the grace
// period, and why the command was asked to end, or nil.
func (s *stop) over() (until time.Time, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.until, s.cause
}
