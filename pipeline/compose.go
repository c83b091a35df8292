package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Before returns a chain with more stages, in front of the one with a name: they see what comes in before
// it does. It panics if the chain has no such stage. The chain that it was given does not change.
func Before(chain []Middleware, name string, stages ...Middleware) []Middleware {
	return slices.Insert(slices.Clone(chain), at(chain, name), stages...)
}

// After returns a chain with more stages, behind the one with a name. It panics if the chain has no such
// stage. The chain that it was given does not change.
func After(chain []Middleware, name string, stages ...Middleware) []Middleware {
	return slices.Insert(slices.Clone(chain), at(chain, name)+1, stages...)
}

// at returns the place of a stage.
func at(chain []Middleware, name string) int {
	var names []string
	for i, stage := range chain {
		if stage.Name == name {
			return i
		}
		names = append(names, stage.Name)
	}
	panic(fmt.Sprintf("the chain has no stage %q; it has: %s", name, strings.Join(names, ", ")))
}

// Combine returns several stages as one, under a name of its own.
func Combine(name string, stages ...Middleware) Middleware {
	m := Middleware{Name: name}
	has := func(door func(Middleware) bool) bool { return slices.ContainsFunc(stages, door) }
	if has(func(s Middleware) bool { return s.Inbound != nil }) {
		key := new(joint)
		in := inbound(stages, func(ctx context.Context, m *Message) (*Message, error) {
			if j := key.of(ctx); j != nil {
				return j.next(ctx, m)
			}
			return nil, fmt.Errorf("%w: a stage in %s goes on with a context that is not of the message", ErrInternal, name)
		}, nil)
		m.Inbound = func(ctx context.Context, m *Message, next Handler) (*Message, error) {
			return in(&joint{Context: ctx, key: key, next: next}, m)
		}
	}
	if has(func(s Middleware) bool { return s.Leaving != nil }) {
		m.Leaving = combineOut(name, func(wire Sender) Sender { return leaving(stages, wire, nil) })
	}
	if has(func(s Middleware) bool { return s.Outbound != nil }) {
		m.Outbound = combineOut(name, func(wire Sender) Sender { return outbound(stages, wire, nil) })
	}
	return m
}

func combineOut(name string, build func(wire Sender) Sender) wayOutDoor {
	key := new(joint)
	out := build(func(ctx context.Context, m *Message) error {
		if j := key.of(ctx); j != nil {
			return j.send(ctx, m)
		}
		return fmt.Errorf("%w: a stage in %s goes on with a context that is not of the message", ErrInternal, name)
	})
	return func(ctx context.Context, m *Message, next Sender) error {
		return out(&joint{Context: ctx, key: key, send: next}, m)
	}
}

// A joint is the context of a message in combined stages, which are built once: it knows what is behind them.
type joint struct {
	context.Context
	key  *joint // tells one combination from another
	next Handler
	send Sender
}

func (j *joint) Value(key any) any {
	if key == j.key {
		return j
	}
	return j.Context.Value(key)
}

// of returns the joint of a combination that a context has.
func (key *joint) of(ctx context.Context) *joint {
	j, _ := ctx.Value(key).(*joint)
	return j
}

// For returns a stage for some methods only: for calls and notifications with one of them, and what such
// a call or notification causes, its answer most of all. Everything else passes.
func For(methods []string, stage Middleware) Middleware {
	wanted := func(ctx context.Context, m *Message) bool {
		if t := turnOf(ctx); t != nil && !slices.Contains(methods, m.method) {
			m = t.message
		}
		return slices.Contains(methods, m.method)
	}
	m := Middleware{Name: stage.Name}
	if door := stage.Inbound; door != nil {
		m.Inbound = func(ctx context.Context, m *Message, next Handler) (*Message, error) {
			if !wanted(ctx, m) {
				return next(ctx, m)
			}
			return door(ctx, m, next)
		}
	}
	m.Leaving, m.Outbound = only(wanted, stage.Leaving), only(wanted, stage.Outbound)
	return m
}

func only(wanted func(context.Context, *Message) bool, door wayOutDoor) wayOutDoor {
	if door == nil {
		return nil
	}
	return func(ctx context.Context, m *Message, next Sender) error {
		if !wanted(ctx, m) {
			return next(ctx, m)
		}
		return door(ctx, m, next)
	}
}
