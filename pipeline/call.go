package pipeline

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
)

// Call asks the other side: it sends a call through the Outbound doors and
// waits for the result. The error is the *jsonrpc2.Error that came back, that of
// the door that did not let the call leave, the cause of ctx when it is done
// first, or ErrClosed when nothing comes in any more.
//
// Call yields, so the response can come in while a handler waits for it.
func (p *Pipeline) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, answered := p.calls.open()
	defer p.calls.close(id)
	m, err := newRequest(id, method, params)
	if err != nil {
		return nil, err
	}
	Yield(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := p.send(ctx, m); err != nil {
		return nil, err
	}
	select {
	case r := <-answered:
		return r.outcome()
	case <-ctx.Done():
		if p.abandon != nil {
			p.abandon(p.context, id, context.Cause(ctx))
		}
		return nil, context.Cause(ctx)
	case <-p.inputClosed:
	}
	select {
	case r := <-answered: // by the last line that came in
		return r.outcome()
	default:
		return nil, ErrClosed
	}
}

// outcome returns a response as a function would.
func (m *Message) outcome() (json.RawMessage, error) {
	if m.fault != nil {
		return nil, m.fault
	}
	return m.result, nil
}

// calls are the calls of our own that wait for their responses. The zero value
// is ready.
type calls struct {
	mu      sync.Mutex
	last    int64 // id of the newest call; ids are never used again (J-05)
	waiting map[string]chan *Message
}

func (c *calls) open() (ID, <-chan *Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = make(map[string]chan *Message)
	}
	c.last++
	id := ID{strconv.FormatInt(c.last, 10)}
	answered := make(chan *Message, 1)
	c.waiting[id.Key()] = answered
	return id, answered
}

func (c *calls) close(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id.Key())
}

// resolve brings a response to its call; it reports false when none waits.
func (c *calls) resolve(m *Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	answered, ok := c.waiting[m.id.Key()]
	if ok {
		delete(c.waiting, m.id.Key())
		answered <- m
	}
	return ok
}
