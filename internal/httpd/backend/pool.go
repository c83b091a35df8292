package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// ErrPoolFull is the error of Open when a pool has as many connections as it may have.
var ErrPoolFull = errors.New("all servers are busy")

// A Pool lends each connection to one request at a time and reuses it, as starting a program for every
// request would take too long. A connection that is returned before its request was answered is
// closed, which cancels that request.
//
// Only requests that need no session can share a connection. What the server writes while no request is
// unanswered, and answers to other requests, are dropped, and the connection is not lent again: they may
// be about another client's request. Other messages do not name their request, so a server must write
// everything about a request before its answer.
type Pool struct {
	Opener Opener
	Max    int           // connections, lent out or not
	Idle   time.Duration // after which an unused one is closed

	mu     sync.Mutex
	idle   []*pooled // most recently used last
	count  int       // of all connections
	closed bool
	all    sync.WaitGroup // counts connections until they are closed
}

// A pooled connection belongs to a pool.
type pooled struct {
	pool  *Pool
	conn  Conn
	timer *time.Timer // closes it; nil while it is lent out; guarded by pool.mu

	mu      sync.Mutex
	receive Receiver        // of its borrower, nil while it is not lent out
	pending map[string]bool // the keys of unanswered calls, nil before the first call
	stray   bool            // the server has written something that no call has caused
}

// Open lends out a connection.
func (p *Pool) Open(_ string, receive Receiver) (Conn, error) {
	p.mu.Lock()
	for len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		c.timer.Stop()
		switch {
		case !c.alive():
			p.ended()
		case !c.clean():
			go p.discard(c)
		default:
			p.mu.Unlock()
			return c.lend(receive), nil
		}
	}
	switch {
	case p.closed:
		p.mu.Unlock()
		return nil, ErrEnded
	case p.count >= p.Max:
		p.mu.Unlock()
		return nil, fmt.Errorf("%w: %d", ErrPoolFull, p.Max)
	}
	p.count++
	p.all.Add(1)
	p.mu.Unlock()
	c := &pooled{pool: p}
	conn, err := p.Opener.Open("", c.pass)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended()
		return nil, err
	}
	c.conn = conn
	return c.lend(receive), nil
}

// Close closes the connections that are not lent out, and waits for the others.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.idle {
		c.timer.Stop()
		go p.discard(c)
	}
	p.idle = nil
	p.mu.Unlock()
	p.all.Wait()
}

// discard closes a connection that is not lent out. Until it has ended it counts, so that there are never
// more than p.Max processes.
func (p *Pool) discard(c *pooled) {
	c.conn.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended()
}

// ended stops counting a connection that has ended. p.mu is held.
func (p *Pool) ended() {
	p.count--
	p.all.Done()
}

// release takes back a connection and keeps it if it is clean, or else closes it: cancelling a request
// includes waiting for its end.
func (p *Pool) release(c *pooled) {
	p.mu.Lock()
	if !c.clean() || p.closed || !c.alive() {
		p.mu.Unlock()
		p.discard(c)
		return
	}
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
	c.timer = time.AfterFunc(p.Idle, func() {
		p.mu.Lock()
		at := slices.Index(p.idle, c)
		if at >= 0 {
			p.idle = slices.Delete(p.idle, at, at+1)
		}
		p.mu.Unlock()
		if at >= 0 {
			p.discard(c)
		}
	})
}

func (c *pooled) alive() bool {
	select {
	case <-c.conn.Done():
		return false
	default:
		return true
	}
}

// clean reports whether all calls were answered, and nothing else was written.
func (c *pooled) clean() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) == 0 && !c.stray
}

// pass passes a message to the borrower of the connection.
func (c *pooled) pass(line []byte, cause string) {
	m := pipeline.Parse(line)
	response, key := m.Kind() == pipeline.Response, m.ID().Key()
	c.mu.Lock()
	receive := c.receive
	if len(c.pending) == 0 || response && !c.pending[key] {
		receive = nil
		c.stray = c.stray || c.pending != nil // at its start a server may report that
	}
	if response {
		delete(c.pending, key)
	}
	c.mu.Unlock()
	if receive != nil {
		receive(line, cause)
	}
}

// lend returns the connection for a new borrower.
func (c *pooled) lend(receive Receiver) Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.receive = receive
	return &lent{pooled: c}
}

// A lent connection is a pooled one for the time of one request.
type lent struct {
	*pooled
	once sync.Once
}

func (l *lent) Send(ctx context.Context, line []byte) error {
	if m := pipeline.Parse(line); m.Kind() == pipeline.Call {
		l.mu.Lock()
		if l.pending == nil {
			l.pending = make(map[string]bool)
		}
		l.pending[m.ID().Key()] = true
		l.mu.Unlock()
	}
	return l.conn.Send(ctx, line)
}

func (l *lent) Done() <-chan struct{} { return l.conn.Done() }
func (l *lent) Err() error            { return l.conn.Err() }

// Close gives the connection back.
func (l *lent) Close() {
	l.once.Do(func() {
		l.mu.Lock()
		l.receive = nil
		l.mu.Unlock()
		l.pool.release(l.pooled)
	})
}
