package streamable_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/streamable"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A puppet is a server that a test controls: it answers initialize and echo, sends all other messages
// to got, and writes what the test has it write.
type puppet struct {
	mu   sync.Mutex
	all  []*puppetConn
	got  chan *pipeline.Message
	ends chan struct{} // receives a value for each closed connection
}

func newPuppet() *puppet {
	return &puppet{got: make(chan *pipeline.Message, 64), ends: make(chan struct{}, 64)}
}

type puppetConn struct {
	*puppet
	receive backend.Receiver
	done    chan struct{}
	once    sync.Once
}

func (p *puppet) Open(_ string, receive backend.Receiver) (backend.Conn, error) {
	c := &puppetConn{puppet: p, receive: receive, done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, c)
	return c, nil
}

// say has the newest connection write a line that a call has caused, "" for none.
func (p *puppet) say(line, cause string) {
	p.mu.Lock()
	c := p.all[len(p.all)-1]
	p.mu.Unlock()
	c.receive([]byte(line), cause)
}

func (c *puppetConn) Send(_ context.Context, line []byte) error {
	m := pipeline.Parse(line)
	switch m.Method() {
	case "initialize":
		version := string(pipeline.Member(m.Params(), "protocolVersion"))
		if version == `"bad"` {
			go c.receive(m.Refuse(pipeline.ErrInvalidParams).Line(), "")
			return nil
		}
		go func() {
			if strings.Contains(string(m.Params()), "chatty") {
				c.receive([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"starting"}}`), "")
			}
			c.receive([]byte(`{"jsonrpc":"2.0","id":`+m.ID().String()+`,"result":{"protocolVersion":`+version+`}}`), "")
		}()
	case "echo":
		go c.receive([]byte(`{"jsonrpc":"2.0","id":`+m.ID().String()+`,"result":`+string(m.Params())+`}`), "")
	default:
		c.got <- m
	}
	return nil
}

func (c *puppetConn) Close() {
	c.once.Do(func() {
		close(c.done)
		c.ends <- struct{}{}
	})
}
func (c *puppetConn) Done() <-chan struct{} { return c.done }
func (c *puppetConn) Err() error            { return errors.New("the server is gone") }

// A peer talks HTTP to a handler.
type peer struct {
	t       *testing.T
	url     string
	id      string // of its session
	version string
}

// meet begins a session of a revision.
func meet(t *testing.T, h *streamable.Handler, version string) *peer {
	t.Helper()
	p := &peer{t: t, url: serve(t, h)}
	r := p.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `"}}`)
	if p.id = r.Header.Get("Mcp-Session-Id"); r.StatusCode != 200 || p.id == "" {
		t.Fatalf("initialize: %d %s", r.StatusCode, body(t, r))
	}
	r.Body.Close()
	p.version = version
	return p
}

// do sends a request with the headers of the session and the given pairs of names and values; a header
// with the value "-" is left out.
func (p *peer) do(method, text string, headers ...string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url, strings.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == "POST" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.id != "" {
		r.Header.Set("Mcp-Session-Id", p.id)
	}
	if p.version != "" {
		r.Header.Set("MCP-Protocol-Version", p.version)
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "-" {
			r.Header.Del(headers[i])
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func (p *peer) post(text string, headers ...string) *http.Response {
	p.t.Helper()
	return p.do("POST", text, headers...)
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// code closes a response and returns its status.
func code(r *http.Response) int {
	r.Body.Close()
	return r.StatusCode
}

// A stream reads the events of a response.
type stream struct {
	t *testing.T
	r *http.Response
	*bufio.Scanner
}

func events(t *testing.T, r *http.Response) *stream {
	t.Helper()
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("%d, %s: %s", r.StatusCode, kind, body(t, r))
	}
	return &stream{t, r, bufio.NewScanner(r.Body)}
}

// next returns the next event as "id data", or "" at the end; comments are left out.
func (s *stream) next() string {
	s.t.Helper()
	id, data, seen := "", "", false
	for s.Scan() {
		switch line := s.Text(); {
		case line == "" && seen:
			return strings.TrimSpace(fmt.Sprint(id, " ", data))
		case strings.HasPrefix(line, "id: "):
			id, seen = line[4:], true
		case strings.HasPrefix(line, "data: "):
			data, seen = line[6:], true
		}
	}
	return ""
}
