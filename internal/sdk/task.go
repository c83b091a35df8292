package sdk

import (
	"os"
	"runtime/debug"
	"time"
)

// A task is a request in progress.
//
// Its helper holds the lock, so it gets a reply soon: the answer, or, after a short time,
// the promise of an answer. A promise names a FIFO from which the helper reads the answer
// later, without the lock.
type task struct {
	channel  *Channel
	number   string
	format   format      // of its reply
	args     []string    // the operation, then its arguments; "@" until work reads them from a file
	patience *time.Timer // nil for a quick task

	// guarded by channel.mu
	fifo     *os.File // of the promise; nil: none was made
	promised []byte   // the reply that made it
	answered bool
}

func (t *task) run() {
	a, c := t.work(), t.channel
	r := c.pack(a, t.format)
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.kind == output && operationOf(t.args[0]).result {
		c.built(a.value)
	}
	t.answered = true // no promise is sent from now on
	if t.fifo != nil {
		if !asLine.fits(r.value) { // helpers read a line from a FIFO
			c.mu.Unlock()
			r = c.pack(a, asLine)
			c.mu.Lock()
		}
		answerThrough(t.fifo, asLine.encode(t.number, r))
		c.remember(t.number, t.format.encode(t.number, r))
	} else {
		if t.patience != nil {
			t.patience.Stop()
		}
		c.unanswered--
		c.last = time.Now()
		c.reply(t.number, t.format.encode(t.number, r))
	}
	delete(c.working, t.number)
}

// promise replies with the promise of an answer.
func (t *task) promise() {
	c := t.channel
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.answered || c.closed {
		return
	}
	name := c.name("fifo")
	fifo, err := c.makeFIFO(name)
	if err != nil {
		return // such as a file system without FIFOs: the lock stays taken until the answer
	}
	t.fifo = fifo
	c.unanswered--
	c.last = time.Now()
	t.promised = t.format.encode(t.number, reply{nothing, 'w', 0, name})
	c.reply(t.number, t.promised)
}

func (t *task) work() (a answer) {
	c := t.channel
	defer func() {
		if p := recover(); p != nil {
			c.server.log().Error("panic in a helper of the SDK", "helper", t.args[0], "panic", p, "stack", string(debug.Stack()))
			a = helperError(1, "internal error: %v", p)
		}
	}()
	if t.args[0] == "@" {
		args, err := c.payload(t.number)
		if err != nil {
			return helperError(1, "cannot read what the helper was given: %v", err)
		}
		t.args = args
	}
	return c.do(c.ctx, t.args[0], t.args[1:])
}
