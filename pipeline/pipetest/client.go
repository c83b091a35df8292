package pipetest

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Client is the other side of a running pipeline: it writes lines and reads the lines that come
// back. Inside a synctest bubble its time is fake.
type Client struct {
	t    testing.TB
	in   *io.PipeWriter
	out  lines
	done chan struct{}
	err  error // of Run; set before done is closed

	// Pipeline is the running pipeline.
	Pipeline *pipeline.Pipeline
}

// Start runs a pipeline until Close, or the end of the test. A nil next is
// [OK].
func Start(t testing.TB, chain []pipeline.Middleware, next pipeline.Handler, o pipeline.Options) *Client {
	r, w := io.Pipe()
	c := &Client{t: t, in: w, done: make(chan struct{})}
	c.out.more = make(chan struct{}, 1)
	c.Pipeline = New(r, &c.out, chain, next, o)
	go func() {
		c.err = c.Pipeline.Run(context.Background())
		close(c.done)
	}()
	t.Cleanup(func() {
		c.Pipeline.Stop(nil)
		c.Close()
	})
	return c
}

// Send writes lines to the pipeline. It returns when they were read, though
// perhaps not handled.
func (c *Client) Send(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatalf("send %s: %v", line, err)
		}
	}
}

// Call writes a call; see [Call].
func (c *Client) Call(id any, method, params string) {
	c.t.Helper()
	c.Send(Call(id, method, params))
}

// Notify writes a notification; see [Notification].
func (c *Client) Notify(method, params string) {
	c.t.Helper()
	c.Send(Notification(method, params))
}

// Recv waits for the next line that the pipeline writes, "" once it has ended.
func (c *Client) Recv() string {
	for {
		if line, ok := c.out.next(); ok {
			return line
		}
		select {
		case <-c.out.more:
		case <-c.done:
			line, _ := c.out.next()
			return line
		}
	}
}

// Written returns all lines that were written and not yet received.
func (c *Client) Written() []string {
	var all []string
	for line, ok := c.out.next(); ok; line, ok = c.out.next() {
		all = append(all, line)
	}
	return all
}

// Close ends the input, waits for the pipeline and returns the error of Run.
func (c *Client) Close() error {
	c.in.Close()
	return c.Wait()
}

// Wait waits until the pipeline ends by itself and returns the error of Run.
func (c *Client) Wait() error {
	<-c.done
	return c.err
}

// lines is a writer that never blocks.
type lines struct {
	more chan struct{} // has a value when there may be lines to take

	mu   sync.Mutex
	rest string // written and not yet taken
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest += string(b)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (l *lines) next() (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line, rest, ok := strings.Cut(l.rest, "\n")
	if ok {
		l.rest = rest
	}
	return line, ok
}
