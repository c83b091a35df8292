package pipeline

import (
	"context"
	"slices"
	"time"
)

// delayed is a send that happens later.
type delayed struct {
	send  func() error
	timer *time.Timer
}

// Later calls send once d has passed, where Outbound doors run: one at a time,
// under the lock of the wire, though no message may be in the chain. It is for
// stages that keep messages back: send lets them go, with the next and the
// contexts that their door was given for them. What send returns counts as an
// error of that door.
//
// Nothing is lost at the end: before the way out is closed, what is still to be
// sent is sent at once. After that send is not called.
func (p *Pipeline) Later(d time.Duration, send func() error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &delayed{send: send}
	p.delayed = append(p.delayed, l)
	l.timer = time.AfterFunc(d, func() {
		if !p.wire.lock() {
			return
		}
		defer p.wire.unlock()
		if p.takeDelayed(l) {
			p.sendDelayed(l)
		}
	})
}

// takeDelayed reports whether l is still to be sent, to the first caller only.
func (p *Pipeline) takeDelayed(l *delayed) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.delayed, l)
	if i >= 0 {
		p.delayed = slices.Delete(p.delayed, i, i+1)
	}
	return i >= 0
}

// nextDelayed takes the oldest delayed send, nil if there is none.
func (p *Pipeline) nextDelayed() *delayed {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.delayed) == 0 {
		return nil
	}
	l := p.delayed[0]
	p.delayed = p.delayed[1:]
	l.timer.Stop()
	return l
}

// sendDelayed calls it. The caller holds the wire.
func (p *Pipeline) sendDelayed(l *delayed) {
	if p.closed.Load() {
		return
	}
	if err := p.sendLocked(context.Background(), kept, l.send); err != nil {
		p.log.Debug("delayed messages replaced or dropped", "error", err)
	}
}
