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
	mu     sync.Mutex
	places map[gateKey][]*place // in the order in which they were taken: the first n may pass
}

// A gate is for one tool and one number: after a change of the number in the metadata there is a
// new gate.
type gateKey struct {
	tool string
	n    int
}

// A place is that of one call at its gate. A nil place is that of a call without a gate.
type place struct {
	gates *Gates
	key   gateKey
	open  chan struct{} // closed when the call may pass
}

// enter takes the next place at the gate of a tool of which n calls may run at once; 0 means any
// number. The caller must leave the place.
func (g *Gates) enter(tool string, n int) *place {
	if g == nil || n <= 0 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.places == nil {
		g.places = make(map[gateKey][]*place)
	}
	p := &place{g, gateKey{tool, n}, make(chan struct{})}
	g.places[p.key] = append(g.places[p.key], p)
	if len(g.places[p.key]) <= n {
		close(p.open)
	}
	return p
}

// wait returns a func that waits until the call may pass; nil if it may already. Calls pass in the
// order in which they entered.
func (p *place) wait() func(context.Context) error {
	if p == nil {
		return nil
	}
	select {
	case <-p.open:
		return nil
	default:
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

// leave gives the place up, and lets the next call pass. Further calls have no effect.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.gates.mu.Lock()
	defer p.gates.mu.Unlock()
	all := p.gates.places[p.key]
	i := slices.Index(all, p)
	if i < 0 {
		return
	}
	all = slices.Delete(all, i, i+1)
	if n := p.key.n; i < n && n <= len(all) {
		close(all[n-1].open)
	}
	if p.gates.places[p.key] = all; len(all) == 0 {
		delete(p.gates.places, p.key)
	}
}
