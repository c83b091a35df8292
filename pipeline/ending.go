package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrStuck is in the error of [Pipeline.Run] if it gave up waiting for something that did not end.
var ErrStuck = errors.New("gave up waiting")

// begin starts the turn of a line; it reports false if no turn may begin any more.
func (p *Pipeline) begin(t *turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealed.Load() {
		return false
	}
	p.lines++
	t.line = p.lines
	p.turns.add(t)
	return true
}

// enter starts the turn of an item of a batch.
func (p *Pipeline) enter(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns.add(t)
}

// done ends a turn.
func (p *Pipeline) done(t *turn) {
	if t.over != nil {
		defer t.over()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns.remove(t)
	if p.sealed.Load() && p.turns.first == nil {
		close(p.idle)
	}
}

// roomForTurns reports whether the messages at work may become more while nothing leaves.
func (p *Pipeline) roomForTurns() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turns.bytes <= maxWaiting
}

// seal prevents further turns.
func (p *Pipeline) seal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.sealed.Swap(true) && p.turns.first == nil {
		close(p.idle)
	}
}

// settle waits until all messages that were read are answered, then closes the way out and the
// stream. Its error names whatever did not end in time.
func (p *Pipeline) settle(ctx context.Context, cancel context.CancelCauseFunc) error {
	left := p.drained(ctx)
	cancel(ErrClosed)
	limit := time.NewTimer(left)
	defer limit.Stop()
	select {
	case <-p.idle:
	case <-limit.C:
		return p.giveUpWaiting()
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if server := p.onward.Load(); server != nil {
			server.letGo()
		}
		if p.beforeClose != nil {
			p.beforeClose(context.WithoutCancel(ctx))
		}
		p.closeWire()
		p.stream.Close()
	}()
	select {
	case <-ended:
		return nil
	case <-limit.C:
		return p.giveUpWaiting()
	}
}

// drained waits until all messages that were read are answered or must be cancelled. It returns how
// long the remaining ones may take to end.
func (p *Pipeline) drained(ctx context.Context) time.Duration {
	var limit <-chan time.Time
	if p.drain > 0 {
		timer := time.NewTimer(p.drain)
		defer timer.Stop()
		limit = timer.C
	}
	still := time.NewTimer(p.grace / 2) // stopped while a call is at work
	defer still.Stop()
	for {
		until := time.Now().Add(p.grace)
		atWork := p.atWork()
		if atWork {
			still.Stop()
		} else {
			still.Reset(p.grace / 2)
		}
		select {
		case <-p.moved:
			continue
		case <-p.idle:
			return p.grace
		case <-still.C:
		case <-limit: // the grace period runs since the end of the input, but half of it is left in any case
			left := max(p.grace-p.drain, p.grace/2)
			if !atWork {
				left = min(left, time.Until(until))
			}
			return left
		case <-p.stopped:
		case <-ctx.Done():
		}
		if atWork {
			return p.grace
		}
		return time.Until(until)
	}
}

// atWork reports whether a message is at work that does not just wait for the wire. What happens
// after an answer does not count.
func (p *Pipeline) atWork() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := p.turns.first; t != nil; t = t.next {
		if !t.onlyWaits() && t.split.Load() == 0 {
			return true
		}
	}
	return false
}

// move notifies drained that a turn has moved.
func (p *Pipeline) move() {
	if p.sealed.Load() {
		select {
		case p.moved <- struct{}{}:
		default:
		}
	}
}

// closeWire sends what was delayed and closes the way out.
func (p *Pipeline) closeWire() {
	if !p.wire.lock() {
		return
	}
	defer p.wire.unlock()
	for d := p.nextDelayed(); d != nil; d = p.nextDelayed() {
		p.sendDelayed(d)
	}
	p.closed.Store(true)
}

// giveUpWaiting ends the pipeline despite what is stuck, and returns an error that names it.
func (p *Pipeline) giveUpWaiting() error {
	what := p.stuck()
	p.closed.Store(true)
	close(p.wire.cut)
	go p.stream.Close() // this may end a goroutine that is stuck in a write
	return fmt.Errorf("%w after %v for %s", ErrStuck, p.grace, what)
}

// stuck names what is at work, first what keeps the others waiting.
func (p *Pipeline) stuck() string {
	var what []string
	if m := p.departing.Load(); m != nil {
		at := " in a stage, on its way out"
		if p.writing.Load() {
			at = " in the write to the stream"
		}
		what = append(what, m.describe()+at)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := p.turns.first; t != nil; t = t.next {
		what = append(what, t.message.describe()+t.where())
	}
	if more := len(what) - 5; more > 0 {
		what = append(what[:5], fmt.Sprintf("%d more", more))
	}
	if what == nil {
		what = []string{"the stream to close"}
	}
	return strings.Join(what, ", ")
}
