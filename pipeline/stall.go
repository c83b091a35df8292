package pipeline

import (
	"sync/atomic"
	"time"
)

// An answer that nobody reads must not keep the pipeline from reading: it would
// never see the end of the input. So a message that has held the baton for some
// time, and only waits for a send or for what follows its answer, passes it on.
// From then until something leaves, messages do so as soon as they send, unless
// very many are at work.
//
// This costs messages nothing: a timer that runs only while there are any looks
// at them.

const (
	stallTime = 250 * time.Millisecond
	manyTurns = 1024
)

// stall is the look at the message that holds the baton.
type stall struct {
	armed  atomic.Bool // the timer runs
	is     atomic.Bool // nothing has left since a message had to pass the baton on
	timer  *time.Timer // whoever has armed it has it
	holder *turn       // when the timer started, nil for none that waits; whoever has armed it has it
}

// watchStall starts the timer, unless it runs.
func (p *Pipeline) watchStall() {
	s := &p.stall
	if s.armed.Load() || s.armed.Swap(true) {
		return
	}
	s.holder = p.waitingHolder()
	if s.timer == nil {
		s.timer = time.AfterFunc(stallTime, p.endStall)
	} else {
		s.timer.Reset(stallTime)
	}
}

// endStall is called by the timer.
func (p *Pipeline) endStall() {
	s := &p.stall
	t := p.waitingHolder()
	if t != nil && t == s.holder {
		s.is.Store(true)
		t.yield()
		t = nil
	}
	s.holder = t
	if t != nil {
		s.timer.Reset(stallTime)
		return
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
