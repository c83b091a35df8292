package pipeline

import (
	"context"
	"sync/atomic"
)

// A Promise is an answer that somebody else gives, such as a server behind the pipeline. The handler of a message
// awaits it. Whoever settles it takes that message on, through the chain and out, in its own goroutine: so what one
// goroutine settles and sends leaves in that order.
type Promise struct {
	turn  *turn // of the message; nil: there is none
	state atomic.Int32
	given atomic.Bool // somebody settles it

	ctx     context.Context // of who awaits it
	watched bool            // its end calls wake
	waited  chan struct{}   // closed when it is settled, for a goroutine that awaits it

	answer *Message
	err    error
}

// The states of a promise.
const (
	open    int32 = iota
	parked        // the coroutine of the turn awaits it
	waited        // a goroutine does
	settled       // it has its answer
)

// NewPromise returns a promise for the message of ctx.
func NewPromise(ctx context.Context) *Promise { return &Promise{turn: turnOf(ctx)} }

// Await yields, and returns what the promise was settled with, or else the cause of ctx when that is done first. Then
// it may be called again. Only one may await a promise at a time.
func (q *Promise) Await(ctx context.Context) (*Message, error) {
	q.watched = q.turn == nil
	for q.state.Load() != settled {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// When the context of the pipeline ends, those in it may end after it has woken the turns.
		if !q.watched && (!q.turn.wakes(ctx) || q.turn.p.context.Err() != nil) {
			q.watched = true
			defer context.AfterFunc(ctx, q.wake)()
		}
		q.ctx = ctx
		var again <-chan struct{}
		if q.turn != nil {
			if again = q.turn.await(q); again == nil {
				continue
			}
		}
		q.wait(again)
	}
	return q.answer, q.err
}

// wait waits in a goroutine, or until again is closed.
func (q *Promise) wait(again <-chan struct{}) {
	q.waited = make(chan struct{})
	if !q.state.CompareAndSwap(open, waited) {
		return
	}
	select {
	case <-q.waited:
		return
	case <-again:
	case <-q.ctx.Done():
	}
	q.state.CompareAndSwap(waited, open)
}

// park lets the coroutine wait, unless it has what it waits for.
func (q *Promise) park() bool {
	ctx, unwatched := q.ctx, !q.watched
	return q.state.CompareAndSwap(open, parked) &&
		(ctx.Err() == nil && !(unwatched && q.turn.p.context.Err() != nil) || !q.state.CompareAndSwap(parked, open))
}

// wake continues who awaits the promise with a context that is done.
func (q *Promise) wake() {
	if q.state.CompareAndSwap(parked, open) {
		q.turn.drive()
	}
}

// Settle gives the promise its answer, or an error instead, and returns when the message that awaits it has been
// answered or awaits another. Only the first call has an effect.
func (q *Promise) Settle(answer *Message, err error) {
	if q.given.Swap(true) {
		return
	}
	q.answer, q.err = answer, err
	if q.state.CompareAndSwap(parked, settled) {
		q.turn.drive()
		return
	}
	var back <-chan struct{}
	if q.turn != nil { // which has not come to await it yet
		back = q.turn.goesBack()
	}
	switch q.state.Swap(settled) {
	case parked:
		q.turn.drive()
	case waited:
		close(q.waited)
	case open:
		if back != nil {
			<-back
		}
	}
}
