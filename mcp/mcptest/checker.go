package mcptest

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
)

// A Checker follows one conversation of a client with a server. It is safe for
// concurrent use.
type Checker struct {
	t testing.TB

	mu    sync.Mutex
	talk  *conversation // nil: the schemas are absent
	ended bool          // the test is over and cannot be told any more
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

// In notes a line that the client sends. It must come before the server can
// have answered it.
func (c *Checker) In(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.talk != nil {
		c.talk.in(line)
	}
}

// Out checks a line that the server has written, without its end, and reports
// what is wrong with it.
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

// Writer returns a writer to the server: what passes is noted.
func (c *Checker) Writer(w io.Writer) io.Writer {
	return &tap{write: w.Write, line: c.In}
}

// Reader returns a reader from the server: what passes is checked.
func (c *Checker) Reader(r io.Reader) io.Reader {
	return &tap{read: r.Read, line: c.Out}
}

// Played checks a conversation that is over: all that the client sent and all
// that the server wrote.
func (c *Checker) Played(sent, written []byte) {
	for line := range bytes.Lines(sent) {
		c.In(bytes.TrimSuffix(line, []byte("\n")))
	}
	for line := range bytes.Lines(written) {
		c.Out(bytes.TrimSuffix(line, []byte("\n")))
	}
}

// A tap shows the lines of a stream that pass through it. A line without an end
// is none.
type tap struct {
	write func([]byte) (int, error)
	read  func([]byte) (int, error)
	line  func([]byte)
	rest  []byte // of a line whose end has not come
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
