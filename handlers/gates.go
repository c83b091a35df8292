package handlers

import (
	"context"
	"slices"
	"sync"
)

// Gates limit how many calls of a tool run at once, by the name of the tool. The zero value is
// ready to use; a nil Gates limits nothing. Sessions of one project share one. It is safe for
// concurrent use.
type Gates struct {
	mu    sync.Mutex
	gates map[gateKey]*gate
}

// A gate is for one tool and one number: after a change of the number in the metadata there is a
// new gate.
type gateKey struct {
	tool string
	n    int
}

// A gate exists as long as a call waits at it or has passed it. Guarded by Gates.mu.
type gate struct {
	inside  int
	waiting []*place // the first passes next
}

// A place is that of one call at its gate. A nil place is that of a call without a gate.
type place struct {
	gates *Gates
	key   gateKey
	open  chan struct{} // closed when the call may pass
	left  bool          // guarded by gates.mu
}

// enter takes the next place at the gate of a tool of which n calls may run at once; 0 means any
// number. The caller must leave the place.
func (g *Gates) enter(tool string, n int) *place {
	if g == nil || n <= 0 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	key := gateKey{tool, n}
	if g.gates == nil {
		g.gates = make(map[gateKey]*gate)
	}
	if g.gates[key] == nil {
		g.gates[key] = &gate{}
	}
	at, p := g.gates[key], &place{gates: g, key: key, open: make(chan struct{})}
	if at.inside < n {
		at.inside++
		close(p.open)
	} else {
		at.waiting = append(at.waiting, p)
	}
	return p
}

// wait returns a func that waits until the call may pass; nil if it may already. Calls pass in the
// order in which they entered.
func (p *place) wait() func(context.Context) error {
	if p.passed() {
		return nil
	}
	return func(ctx context.Context) error {
		select {
		case <-p.open:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *place) passed() bool {
	if p == nil {
		return true
	}
	select {
	case <-p.open:
		return true
	default:
		return false
	}
}

// leave gives the place up, and lets the next call pass. Further calls have no effect.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.gates.mu.Lock()
	defer p.gates.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	at := p.gates.gates[p.key]
	switch {
	case !p.passed():
		at.waiting = slices.DeleteFunc(at.waiting, func(o *place) bool { return o == p })
	case len(at.waiting) > 0:
		close(at.waiting[0].open)
		at.waiting = at.waiting[1:]
	default:
		at.inside--
	}
	if at.inside == 0 {
		delete(p.gates.gates, p.key)
	}
}
