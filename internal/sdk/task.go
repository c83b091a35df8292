package sdk

import (
	"os"
	"runtime/debug"
	"time"
)

// A task is a request that is worked on.
//
// Its helper holds the lock, so it gets a reply soon: the answer, or after a moment the
// promise of one. A promise names a FIFO from which the helper reads the answer without
// the lock.
type task struct {
	channel  *Channel
	number   string
	args     []string // the operation, then what belongs to it
	patience *time.Timer

	// guarded by channel.mu
	fifo     *os.File // of the promise; nil: none was made
	promised []byte   // the reply that made it
	answered bool
}

func (t *task) run() {
	line := t.work()
	c := t.channel
	c.mu.Lock()
	defer c.mu.Unlock()
	t.answered = true
	delete(c.working, t.number)
	if t.fifo != nil {
		t.fifo.Write(line) // at most a line: it fits
		c.remember(t.number, line)
		return
	}
	t.patience.Stop()
	c.unanswered--
	c.last = time.Now()
	c.reply(t.number, line)
}

// promise replies that the answer will come.
func (t *task) promise() {
	c := t.channel
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.answered || c.closed {
		return
	}
	name := c.name("fifo")
	fifo, err := makeFIFO(c.path(name))
	if err != nil {
		return // a file system without FIFOs: the others wait with this one
	}
	t.fifo = fifo
	c.keep(name, fifo)
	c.unanswered--
	c.last = time.Now()
	t.promised = replyLine(t.number, 'n', 'w', 0, name)
	c.reply(t.number, t.promised)
}

// work returns the line with the answer.
func (t *task) work() (line []byte) {
	c := t.channel
	defer func() {
		if p := recover(); p != nil {
			c.server.log().Error("panic in a helper of the SDK", "helper", t.args[0], "panic", p, "stack", string(debug.Stack()))
			line = c.encode(t.number, trouble(1, "internal error: %v", p))
		}
	}()
	args := t.args
	if args[0] == "@" {
		var err error
		if args, err = c.payload(t.number); err != nil {
			return c.encode(t.number, trouble(1, "cannot read what the helper was given: %v", err))
		}
	}
	return c.encode(t.number, c.do(c.ctx, args[0], args[1:]))
}
