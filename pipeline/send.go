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

// send takes a message through the Outbound doors to the wire.
func (p *Pipeline) send(ctx context.Context, m *Message) error {
	switch t := turnOf(ctx); {
	case t == nil || t.p != p:
		ctx = &detached{ctx, p}
	case !t.answered.Load():
		t.sending(1)
		defer t.sending(-1)
	}
	if !p.wire.lock() {
		return ErrClosed
	}
	defer p.wire.unlock()
	if p.closed.Load() {
		return ErrClosed
	}
	return p.sendLocked(ctx, m, nil)
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
		err = p.outbound(ctx, m)
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
	if p.closed.Load() {
		return ErrClosed
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

func (w *wire) unlock() {
	if w.wanted.Add(-1) > 0 {
		w.next <- struct{}{}
	}
}
