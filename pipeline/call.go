package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// patience is how long a message may keep the response to a call of ours from being read.
const patience = 5 * time.Second

// Call asks the other side: it sends a call through the Outbound doors and
// waits for the result. The error is the *jsonrpc2.Error that came back, or the
// fault of a malformed response, that of the door that did not let the call
// leave, the cause of ctx when it is done first, or ErrClosed when nothing comes
// in any more.
//
// Give it the context of the message that causes it, if there is one: the call leaves in the turn of
// that message, then Call yields for it, so that the response can come in while its handler waits. A handler that
// holds the baton and calls with another context waits for itself; Call fails
// after five seconds then.
func (p *Pipeline) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, answered := p.calls.open()
	defer p.calls.close(id)
	m, err := newRequest(id, method, params)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := p.send(ctx, m); err != nil { // in the turn of its message, so that what comes later leaves later
		return nil, err
	}
	Yield(ctx)
	var holder *turn
	var held <-chan time.Time
	if t := turnOf(ctx); t == nil || t.p != p {
		holder = p.holder()
	}
	if holder != nil {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		held = timer.C
	}
	for {
		select {
		case r := <-answered:
			return r.outcome()
		case <-held:
			if !holder.passed.Load() {
				return nil, p.giveUp(id, fmt.Errorf("%s cannot be answered: %s has held the input for %v; call Yield first, "+
					"or pass Call the context of the message", method, holder.message.describe(), patience))
			}
		case <-ctx.Done():
			return nil, p.giveUp(id, context.Cause(ctx))
		case <-p.inputClosed:
			select {
			case r := <-answered: // by the last line that was read
				return r.outcome()
			default:
				return nil, ErrClosed
			}
		}
	}
}

// giveUp abandons a call of ours and returns the cause.
func (p *Pipeline) giveUp(id ID, cause error) error {
	if p.abandon != nil {
		p.abandon(&detached{context.Background(), p}, id, cause)
	}
	return cause
}

// holder returns the turn that holds the baton, nil while the next line is being read.
func (p *Pipeline) holder() *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := p.turns.first; t != nil; t = t.next {
		if !t.passed.Load() && t.split.Load() == 0 {
			return t
		}
	}
	return nil
}

// outcome returns the result or the error of a response.
func (m *Message) outcome() (json.RawMessage, error) {
	if m.fault != nil {
		return nil, m.fault
	}
	return m.Result(), nil
}

// calls are our own calls that wait for their responses. The zero value is ready to use.
type calls struct {
	mu      sync.Mutex
	prefix  string // of ids, which are strings then
	last    int64  // number of the newest call; ids are never reused (J-05)
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
	if c.prefix != "" {
		quoted, _ := json.Marshal(c.prefix + id.raw)
		id = ID{string(quoted)}
	}
	answered := make(chan *Message, 1)
	c.waiting[id.Key()] = answered
	return id, answered
}

func (c *calls) close(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id.Key())
}

// resolve delivers a response to its call; it reports false if no call waits for it.
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
