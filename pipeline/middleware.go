package pipeline

import (
	"context"
	"fmt"
	"slices"
)

// A Handler takes an incoming message and returns the answer to it: nil for none, as for a
// notification. An error becomes an error response; see [WireError]. Handlers run concurrently once
// messages yield.
type Handler func(ctx context.Context, m *Message) (*Message, error)

// A Sender sends a message on its way out. Its error means that the message did not leave as it
// should have.
type Sender func(ctx context.Context, m *Message) error

// A Middleware is one concern of the stream, with doors for each direction. A nil door lets messages
// pass.
//
// Inbound is a round trip: it is called for each message that comes in and
// returns its answer, most often what next returned. It may call next with
// another message or context, several times, or not at all. An error that it
// returns refuses the message that it was given; for messages that are answered
// and refused in their own name see [Split].
//
// Leaving and Outbound are the way out: of responses, notifications and calls of our own. A message
// first passes all Leaving doors, and then all Outbound doors. Their context is that of the message
// that caused this one.
//
// Leaving doors are called by whoever sends, so they may take their time, as a script does that looks
// at each answer: only what the same message sends has to wait. One that takes long calls [Yield]
// first. An error that it returns in place of an answer refuses the call.
//
// Outbound doors run one message at a time, under the lock of the wire, so a decision they take and
// the write that follows are one step. They must be quick and must not send, but may call next several
// times.
type Middleware struct {
	Name     string // in traces and listings: lower case, the concern in a word
	Inbound  func(ctx context.Context, m *Message, next Handler) (*Message, error)
	Leaving  func(ctx context.Context, m *Message, next Sender) error
	Outbound func(ctx context.Context, m *Message, next Sender) error

	About func() string // what it is set to, in a few words for listings; nil: nothing can be set
}

// inbound builds the way in: through each stage, in order, to h.
func inbound(chain []Middleware, h Handler, trace Tracer) Handler {
	if trace != nil {
		h = trace.handler(h)
	}
	for _, stage := range slices.Backward(chain) {
		door, next := stage.Inbound, h
		switch {
		case door == nil:
			continue
		case trace != nil:
			door = trace.inbound(stage)
		}
		h = func(ctx context.Context, m *Message) (*Message, error) {
			answer, err := door(ctx, m, next)
			if answer != nil && answer.id != m.id {
				return checked(answer, err, m, stage.Name)
			}
			return answer, err
		}
	}
	return h
}

// checked returns the answer of a stage to m, or an error in place of one with the id of another message:
// that would answer a call that somebody else made. An error may be without an id.
func checked(answer *Message, err error, m *Message, stage string) (*Message, error) {
	if answer.kind != Response || !m.Answerable() || answer.id.IsZero() && answer.fault != nil ||
		answer.id.Key() == m.id.Key() {
		return answer, err
	}
	return nil, fmt.Errorf("%w: the stage %s has answered the id %v with the id %v", ErrInternal, stage, m.id, answer.id)
}

// outbound builds the way out under the lock: through the Outbound doors, in reverse order, to wire.
func outbound(chain []Middleware, wire Sender, trace Tracer) Sender {
	return wayOut(chain, func(s Middleware) wayOutDoor { return s.Outbound }, wire, trace)
}

// leaving builds the way to the lock: through the Leaving doors, in reverse order, to depart.
func leaving(chain []Middleware, depart Sender, trace Tracer) Sender {
	return wayOut(chain, func(s Middleware) wayOutDoor { return s.Leaving }, depart, trace)
}

type wayOutDoor func(ctx context.Context, m *Message, next Sender) error

func wayOut(chain []Middleware, of func(Middleware) wayOutDoor, send Sender, trace Tracer) Sender {
	for _, stage := range chain {
		door, next := of(stage), send
		switch {
		case door == nil:
			continue
		case trace != nil:
			door = trace.outbound(stage.Name, door)
		}
		send = func(ctx context.Context, m *Message) error { return door(ctx, m, next) }
	}
	return send
}
