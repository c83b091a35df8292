package interceptor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// processes is how many processes of a script that stays run at the same time, unless it says otherwise.
const processes = 4

// A Pool keeps a script running that answers each line with a line: a question, and its result. A process that dies,
// is late, or prints what is not asked for is ended, and the next question starts another one.
type Pool struct {
	host  Host
	path  string
	slots chan struct{}

	mu     sync.Mutex
	idle   []*child // the last one is used first
	all    map[*child]struct{}
	closed bool
	work   sync.WaitGroup
}

// Stay returns a pool for a script that stays, of at most n processes; 0: a few. Nothing runs before the first
// question.
func (h Host) Stay(path string, n int) *Pool {
	n = cmp.Or(n, processes)
	return &Pool{host: h, path: path, slots: make(chan struct{}, n), all: make(map[*child]struct{})}
}

// Answer is a [Func].
func (p *Pool) Answer(ctx context.Context, q Question) (r Result, err error) {
	question, err := json.Marshal(q)
	if err != nil {
		return r, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return r, context.Cause(ctx)
	}
	var w *child
	var answer []byte
	for used := true; used; { // one that was idle may just have ended
		if w, used, err = p.take(); err != nil {
			return r, err
		}
		if answer, err = w.ask(ctx, append(question, '\n')); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		r, err = parse(p.path, answer)
	}
	if err != nil {
		w.end(err)
		return r, err
	}
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
	return r, nil
}

// take returns a process that is idle, or a new one.
func (p *Pool) take() (w *child, used bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.idle); n > 0; n = len(p.idle) {
		w := p.idle[n-1]
		if p.idle = p.idle[:n-1]; w.ready() {
			return w, true, nil
		}
	}
	if p.closed {
		return nil, false, errors.New("the server is ending")
	}
	w, err = p.start()
	return w, false, err
}

// start starts a process. The caller holds mu.
func (p *Pool) start() (*child, error) {
	c, err := p.host.command(p.path, "MCP_INTERCEPT_STAY=1")
	if err != nil {
		return nil, err
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	w := &child{path: p.path, in: out, cancel: cancel, lines: make(chan []byte, 1), done: make(chan struct{}),
		stderr: process.Tail{Limit: maxStderr}}
	c.Stdin, c.Stdout, c.Stderr = in, w, &w.stderr
	p.all[w] = struct{}{}
	p.work.Go(func() {
		ended, err := p.host.Runner.Run(ctx, c)
		in.Close()
		if err == nil {
			err = errors.New(strings.TrimSuffix(fmt.Sprintf("%s ended with exit code %d: %s", p.path, ended.ExitCode,
				strings.TrimSpace(w.stderr.Text())), ": "))
		}
		w.why = err
		close(w.done)
		w.end(err)
		p.mu.Lock()
		delete(p.all, w)
		p.mu.Unlock()
	})
	return w, nil
}

// Close ends all processes and returns when they have ended.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for w := range p.all {
		w.end(context.Canceled)
	}
	p.mu.Unlock()
	p.work.Wait()
}

// A child is one run of a script that stays. One question at a time is put to it.
type child struct {
	path   string
	in     *os.File // its stdin
	cancel context.CancelCauseFunc
	stderr process.Tail
	state  atomic.Int32
	lines  chan []byte   // what it has answered
	done   chan struct{} // closed when it has ended
	why    error         // it has ended; read after done

	line []byte // the beginning of an answer; used by Write
}

// The states of a child.
const (
	rests  = iota // it owes no answer
	owes          // it has a question, and the next line is the answer
	broken        // it has printed something else than an answer
)

// end ends the process.
func (w *child) end(why error) {
	w.cancel(why)
	w.in.Close()
}

// misbehaved ends the process, and takes no answer from it until it has ended.
func (w *child) misbehaved(why error) {
	w.state.Store(broken)
	w.cancel(why)
}

// ready reports whether the process runs and owes no answer.
func (w *child) ready() bool {
	select {
	case <-w.done:
		return false
	default:
		return w.state.Load() == rests
	}
}

var errOdd = errors.New("it printed a line that nobody asked for")

// ask puts a question. A line that came before is not its answer.
func (w *child) ask(ctx context.Context, question []byte) ([]byte, error) {
	if !w.state.CompareAndSwap(rests, owes) {
		return nil, errOdd
	}
	defer context.AfterFunc(ctx, func() { w.end(context.Cause(ctx)) })() // also if it does not read
	_, _ = w.in.Write(question)                                          // if it cannot be written, the process is ending
	select {
	case line := <-w.lines:
		return line, nil
	case <-w.done:
		return nil, w.why
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write takes what the process prints.
func (w *child) Write(p []byte) (int, error) {
	size := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		if len(w.line)+len(line) > maxAnswer {
			w.misbehaved(errFlood)
			return size, nil
		}
		w.line = append(w.line, line...)
		if !whole {
			return size, nil
		}
		if w.state.CompareAndSwap(owes, rests) {
			w.lines <- w.line
		} else {
			w.misbehaved(errOdd)
		}
		w.line, p = nil, rest
	}
}
