package pipeline

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Notify sends a notification through the Outbound doors. Params as for
// [NewNotification]. Give it the context of the message that causes it, or any
// other where none does. The error is ErrClosed when the pipeline has ended.
func (p *Pipeline) Notify(ctx context.Context, method string, params any) error {
	m, err := NewNotification(method, params)
	if err != nil {
		return err
	}
	return p.send(ctx, m)
}

// send takes a message through the Outbound doors to the wire.
func (p *Pipeline) send(ctx context.Context, m *Message) (err error) {
	p.wire.Lock()
	defer p.wire.Unlock()
	if p.closed {
		return ErrClosed
	}
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("panic on the way out", "message", m.kind, "id", m.id.raw, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: panic on the way out", ErrInternal)
			if m.kind == Response && !p.wrote {
				p.write(ctx, m.Refuse(err))
			}
		}
	}()
	p.wrote = false
	err = p.leave(ctx, m)
	if fatal := fatalIn(err); fatal != nil {
		p.Stop(fatal.err)
	}
	return err
}

// write is the end of the way out. Whoever calls it holds the wire. A stream
// that cannot be written to ends the pipeline.
func (p *Pipeline) write(_ context.Context, m *Message) error {
	if p.closed {
		return ErrClosed
	}
	p.wrote = true
	p.leaving = m.line
	err := p.stream.WriteObject(&p.leaving)
	p.leaving = nil
	if err != nil {
		err = fmt.Errorf("write: %w", err)
		p.Stop(err)
	}
	return err
}
