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
	panic(fmt.Sprintf("there is no stage %q in the chain, which has: %s", name, strings.Join(names, ", ")))
}

// Combine returns several stages as one, under a name of its own.
func Combine(name string, stages ...Middleware) Middleware {
	m := Middleware{Name: name}
	has := func(door func(Middleware) bool) bool { return slices.ContainsFunc(stages, door) }
	if has(func(s Middleware) bool { return s.Inbound != nil }) {
		m.Inbound = func(ctx context.Context, m *Message, next Handler) (*Message, error) {
			return inbound(stages, next, nil)(ctx, m)
		}
	}
	if has(func(s Middleware) bool { return s.Leaving != nil }) {
		m.Leaving = func(ctx context.Context, m *Message, next Sender) error { return leaving(stages, next, nil)(ctx, m) }
	}
	if has(func(s Middleware) bool { return s.Outbound != nil }) {
		m.Outbound = func(ctx context.Context, m *Message, next Sender) error { return outbound(stages, next, nil)(ctx, m) }
	}
	return m
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
