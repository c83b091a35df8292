package pipeline

import (
	"sync/atomic"
	"time"
)

// An answer that the other side does not read must not keep the pipeline from reading: it would
// never see the end of the input. So a message that has held the baton for some time, and only
// waits for a send or for what follows its answer, passes it on. From then on until something
// leaves, messages pass it on as soon as they send, unless those at work take too much memory: then
// nothing is read until something leaves.
//
// A timer checks for this. It runs only while there are messages.

const (
	stallTime  = 250 * time.Millisecond
	maxWaiting = 32 << 20 // bytes, by turn.bytes
	turnBytes  = 12 << 10 // a goroutine and its stack, the turn, the answer
)

// stall is the check of the message that holds the baton.
type stall struct {
	armed atomic.Bool // the timer runs
	is    atomic.Bool // nothing has left since a message had to pass the baton on
	timer *time.Timer // made by Run
}

// watchStall starts the timer, unless it runs.
func (p *Pipeline) watchStall() {
	if s := &p.stall; !s.armed.Load() && !s.armed.Swap(true) {
		s.timer.Reset(stallTime)
	}
}

// checkStall is the function of the timer.
func (p *Pipeline) checkStall() {
	s := &p.stall
	if t := p.waitingHolder(); t != nil {
		left := time.Until(time.Unix(0, t.waitsSince.Load()).Add(stallTime))
		switch {
		case left > 0:
			s.timer.Reset(left)
			return
		case !p.roomForTurns():
			s.timer.Reset(stallTime)
			return
		}
		s.is.Store(true)
		t.yield()
	}
	s.armed.Store(false)
	if p.waitingHolder() != nil { // it came just now and found the timer running
		p.watchStall()
	}
}

// waitingHolder returns the turn that holds the baton if it only waits.
func (p *Pipeline) waitingHolder() *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := p.turns.first; t != nil; t = t.next {
		if !t.passed.Load() && t.onlyWaits() {
			return t
		}
	}
	return nil
}
