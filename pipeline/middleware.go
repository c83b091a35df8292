package pipeline

import (
	"context"
	"slices"
)

// A Handler takes an incoming message and returns the answer to it: nil for none, as for a
// notification. An error becomes an error response; see [WireError]. Handlers run concurrently once
// messages yield.
type Handler func(ctx context.Context, m *Message) (*Message, error)

// A Sender sends a message on its way out. Its error means that the message did not leave as it
// should have.
type Sender func(ctx context.Context, m *Message) error

// A Middleware is one concern of the stream, with a door for each direction. A
// nil door lets messages pass.
//
// Inbound is a round trip: it is called for each message that comes in and
// returns its answer, most often what next returned. It may call next with
// another message or context, several times, or not at all. An error that it
// returns refuses the message that it was given; for messages that are answered
// and refused in their own name see [Split].
//
// Outbound is the one way out: responses, notifications and calls of our own.
// Outbound doors run one message at a time, under the lock of the wire, so a
// decision they take and the write that follows are one step. They must be
// quick and must not send, but may call next several times. Their context is
// that of the message that caused this one.
type Middleware struct {
	Name     string // in traces and listings: lower case, the concern in a word
	Inbound  func(ctx context.Context, m *Message, next Handler) (*Message, error)
	Outbound func(ctx context.Context, m *Message, next Sender) error
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
		case trace != nil:
			h = trace.inbound(stage, next)
		default:
			h = func(ctx context.Context, m *Message) (*Message, error) { return door(ctx, m, next) }
		}
	}
	return h
}

// outbound builds the way out: through each stage, in reverse order, to wire.
func outbound(chain []Middleware, wire Sender, trace Tracer) Sender {
	send := wire
	for _, stage := range chain {
		door, next := stage.Outbound, send
		switch {
		case door == nil:
		case trace != nil:
			send = trace.outbound(stage, next)
		default:
			send = func(ctx context.Context, m *Message) error { return door(ctx, m, next) }
		}
	}
	return send
}
