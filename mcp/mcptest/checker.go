package mcptest

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
)

// A Checker checks the conversation of one client with a server. It is safe for concurrent use.
type Checker struct {
	t testing.TB

	mu    sync.Mutex
	talk  *conversation // nil: the schemas are absent
	ended bool          // the test is over and errors cannot be reported any more
}

// New returns a checker that reports to t, one for each run of a server.
func New(t testing.TB) *Checker {
	t.Helper()
	c := &Checker{t: t}
	all, err := official()
	if err != nil {
		t.Logf("what the server writes was not checked: %v", err)
		return c
	}
	c.talk = newConversation(all)
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = true
	})
	return c
}

// In records a line that the client sends. It must be called before the server can have answered
// the line.
func (c *Checker) In(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.talk != nil {
		c.talk.in(line)
	}
}

// Out checks a line that the server has written, without its newline, and reports errors in it.
func (c *Checker) Out(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.talk == nil || c.ended {
		return
	}
	if faults := c.talk.out(line); len(faults) > 0 {
		c.t.Errorf("the server wrote %s\n%s", clip(line), strings.Join(faults, "\n"))
	}
}

// Writer returns a writer to the server that records what is written.
func (c *Checker) Writer(w io.Writer) io.Writer {
	return &tap{write: w.Write, line: c.In}
}

// Reader returns a reader from the server that checks what is read.
func (c *Checker) Reader(r io.Reader) io.Reader {
	return &tap{read: r.Read, line: c.Out}
}

// Played checks a finished conversation: all lines of the client and all lines of the server.
func (c *Checker) Played(sent, written []byte) {
	for line := range bytes.Lines(sent) {
		c.In(bytes.TrimSuffix(line, []byte("\n")))
	}
	for line := range bytes.Lines(written) {
		c.Out(bytes.TrimSuffix(line, []byte("\n")))
	}
}

// A tap passes the lines of a stream on to a func. A line without a newline does not count.
type tap struct {
	write func([]byte) (int, error)
	read  func([]byte) (int, error)
	line  func([]byte)
	rest  []byte // the incomplete last line
}

func (t *tap) Write(b []byte) (int, error) {
	t.show(b)
	return t.write(b)
}

func (t *tap) Read(b []byte) (int, error) {
	n, err := t.read(b)
	t.show(b[:n])
	return n, err
}

func (t *tap) show(b []byte) {
	for {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		t.rest = append(t.rest, line...)
		if !ended {
			return
		}
		t.line(t.rest)
		t.rest, b = t.rest[:0], rest
	}
}

// clip shortens a line for an error of a test.
func clip(line []byte) string {
	const most = 4000
	if len(line) > most {
		return string(line[:most]) + "..."
	}
	return string(line)
}
