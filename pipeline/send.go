package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Notify sends a notification through the Outbound doors. Params are as for [NewNotification]. Pass
// the context of the message that causes it, or any other if there is none. The error is ErrClosed
// if the pipeline has ended.
func (p *Pipeline) Notify(ctx context.Context, method string, params any) error {
	m, err := NewNotification(method, params)
	if err != nil {
		return err
	}
	return p.send(ctx, m)
}

// Send sends a message as it is, byte for byte unless a door changes it, through the Leaving and
// Outbound doors. It is for what somebody else wrote: a server behind the pipeline, say. Our own
// calls and notifications are sent by [Pipeline.Call] and [Pipeline.Notify].
//
// Pass the context of the call that causes it, so that limits and a cancellation of that call hold for
// it, or any other if there is none. Messages that one goroutine sends leave in that order. The error is
// ErrClosed if the pipeline has ended, wraps [ErrCorrupt] for a malformed message, and is otherwise that
// of a door.
func (p *Pipeline) Send(ctx context.Context, m *Message) error { return p.send(ctx, m) }

// ErrCorrupt is the error for a message that cannot be sent as it is, because it is not one.
var ErrCorrupt = errors.New("corrupt output")

// send takes a message through all doors on the way out to the wire.
func (p *Pipeline) send(ctx context.Context, m *Message) error {
	t := turnOf(ctx)
	if ctx != t && inDoor(ctx, p) {
		return fmt.Errorf("%w: an Outbound door must not send: it holds the lock of the wire", ErrInternal)
	}
	if t == nil || t.p != p {
		ctx = &detached{ctx, p}
	}
	if p.prelude == nil {
		return p.depart(ctx, m)
	}
	return p.leave(ctx, m, t)
}

// leave takes a message through the Leaving doors. An answer that one of them refuses, or panics at,
// becomes an error.
func (p *Pipeline) leave(ctx context.Context, m *Message, t *turn) (err error) {
	if t != nil {
		t.leaving.Add(1)
	}
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("panic on the way out", "message", m.describe(), "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: panic on the way out", ErrInternal)
		}
		if t != nil {
			t.leaving.Add(-1)
			p.move()
		}
		fatal := fatalIn(err)
		switch {
		case fatal != nil:
			p.Stop(fatal.err)
		case err != nil && m.kind == Response && t != nil && !t.departed.Load():
			p.depart(ctx, m.Refuse(err))
		}
	}()
	return p.prelude(ctx, m)
}

// depart takes the wire, and a message through the Outbound doors.
func (p *Pipeline) depart(ctx context.Context, m *Message) error {
	if t := turnOf(ctx); t != nil {
		if m.kind == Response {
			t.departed.Store(true)
			p.move()
		}
		if !t.answered.Load() {
			t.sending(1)
			defer t.sending(-1)
		}
	}
	if !p.wire.lock() {
		return ErrClosed
	}
	defer p.wire.unlock()
	if p.closed.Load() {
		return ErrClosed
	}
	if t := turnOf(ctx); t != nil && m.kind != Response && t.settled.Load() == byReply && !t.follows.Load() {
		return ErrAnswered
	}
	return p.sendLocked(ctx, m, nil)
}

// A door is the context of the Outbound doors while they have a message.
type door struct {
	context.Context
	p    *Pipeline
	over atomic.Bool // they have let it go
}

type doorKey struct{}

func (d *door) Value(key any) any {
	if key == (doorKey{}) {
		return d
	}
	return d.Context.Value(key)
}

// inDoor reports whether ctx is that of an Outbound door that has not returned.
func inDoor(ctx context.Context, p *Pipeline) bool {
	d, _ := ctx.Value(doorKey{}).(*door)
	return d != nil && d.p == p && !d.over.Load()
}

// sendLocked sends m, or calls later for a delayed send. The caller holds the wire.
func (p *Pipeline) sendLocked(ctx context.Context, m *Message, later func() error) (err error) {
	p.departing.Store(m)
	defer func() {
		defer p.departing.Store(nil)
		if r := recover(); r != nil {
			p.log.Error("panic on the way out", "message", m.describe(), "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: panic on the way out", ErrInternal)
			if m.kind == Response && !p.wrote {
				p.write(ctx, m.Refuse(err))
			}
		}
	}()
	p.wrote = false
	if m == kept {
		err = later()
	} else {
		d := &door{Context: ctx, p: p}
		defer d.over.Store(true)
		err = p.outbound(d, m)
	}
	if p.stall.is.Load() {
		p.stall.is.Store(false)
	}
	if fatal := fatalIn(err); fatal != nil {
		p.Stop(fatal.err)
	}
	return err
}

// write is the end of the way out. The caller holds the wire. A stream that cannot be written to
// ends the pipeline.
func (p *Pipeline) write(ctx context.Context, m *Message) error {
	switch {
	case p.closed.Load():
		return ErrClosed
	case m.kind == Malformed:
		return fmt.Errorf("%w: %w", ErrCorrupt, m.fault)
	}
	if p.nulls && m.kind == Response {
		m = m.withNulls()
	}
	p.wrote = true
	p.writing.Store(true)
	err := p.put(m)
	p.writing.Store(false)
	if err == nil {
		return nil
	}
	return p.writeFailed(ctx, m, err)
}

// put passes a message to the stream.
func (p *Pipeline) put(m *Message) error {
	if p.ndjson != nil {
		return p.ndjson.put(m)
	}
	p.leaving = m.Line()
	defer func() { p.leaving = nil }()
	return p.stream.WriteObject(&p.leaving)
}

// writeFailed handles a failed write. A message that cannot be encoded by a stream that encodes has
// not left at all, so the call is answered with that error. After any other error nothing leaves
// any more, as part of a message may be written.
func (p *Pipeline) writeFailed(ctx context.Context, m *Message, err error) error {
	var wrong *json.MarshalerError
	if !errors.As(err, &wrong) {
		return p.streamFailed(err)
	}
	if m.kind == Response && m.fault == nil {
		err = errors.Join(err, p.write(ctx, m.Refuse(fmt.Errorf("%w: result: %w", ErrInternal, wrong.Err))))
	}
	return err
}

// streamFailed ends a pipeline whose stream cannot be written to.
func (p *Pipeline) streamFailed(err error) error {
	p.closed.Store(true)
	err = fmt.Errorf("write: %w", err)
	p.Stop(err)
	return err
}

// A wire is a lock that can be cut: then no one waits for it any more.
type wire struct {
	wanted atomic.Int32  // how many hold it or wait for it
	next   chan struct{} // hands it to one of those who wait
	cut    chan struct{} // closed to release those who wait
}

func newWire() wire { return wire{next: make(chan struct{}, 1), cut: make(chan struct{})} }

// lock reports false if the wire is cut and was not free. Those who stopped waiting still count, so it
// may never seem free again; nothing leaves over a wire that was cut.
func (w *wire) lock() bool {
	if w.wanted.Add(1) == 1 {
		return true
	}
	select {
	case <-w.next:
		return true
	case <-w.cut:
		return false
	}
}

// tryLock takes a wire that is free.
func (w *wire) tryLock() bool { return w.wanted.CompareAndSwap(0, 1) }

func (w *wire) unlock() {
	if w.wanted.Add(-1) > 0 {
		w.next <- struct{}{}
	}
}
