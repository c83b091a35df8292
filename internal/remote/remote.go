// Package remote is a client's end of Streamable HTTP, as the two streams of a program: lines that are written to it
// are posted, and what the server says, in any of its responses, is read from it line by line. All revisions are
// spoken: with a session, which is deleted at the end, and without.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Server is one that is reached by HTTP.
type Server struct {
	URL string
	// Token returns the bearer token of a request. It is asked for each. Nil: there is none.
	Token func() (string, error)
	// MaxMessage is the maximum size of a message of the server in bytes; 0: 64 MiB.
	MaxMessage int
	Agent      string       // the User-Agent
	Log        *slog.Logger // nil: [slog.Default]
}

// Check returns what is wrong with the URL. A token is only sent to others by TLS.
func (s Server) Check() error {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil:
		return bare(err)
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("%q is not the URL of a server, such as https://example.com/mcp", s.Name())
	case u.Scheme == "http" && (s.Token != nil || u.User != nil) && !loopback(u.Hostname()):
		return fmt.Errorf("%s: anybody on the way could read the token or password; use https", s.Name())
	}
	return nil
}

// Name returns the URL without what may be a secret in it.
func (s Server) Name() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return "the server"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// bare returns an error without the URL, which may have a secret.
func bare(err error) error {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// A Conn is a conversation with a server. Reading and writing may be concurrent.
type Conn struct {
	*io.PipeReader
	s      Server
	client http.Client
	out    *io.PipeWriter
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
	ending sync.Once
	err    error // why; read after done
	calls  sync.WaitGroup

	line    []byte        // the beginning of a line that is being written
	greeted chan struct{} // closed when initialize was answered, which all else waits for; nil before

	mu       sync.Mutex
	session  string
	revision string              // that was negotiated
	running  map[string]*running // calls that may be cancelled, by the key of their ids
}

// A running call has a request that has not ended.
type running struct {
	cancel    context.CancelFunc
	stateless bool // the end of the request cancels it
}

// Open returns a conversation with a server. Nothing is sent yet.
func Open(s Server) *Conn {
	in, out := io.Pipe()
	if s.MaxMessage <= 0 {
		s.MaxMessage = 64 << 20
	}
	if s.Log == nil {
		s.Log = slog.Default()
	}
	c := &Conn{PipeReader: in, out: out, s: s, done: make(chan struct{}), running: make(map[string]*running)}
	c.client = http.Client{CheckRedirect: sameServer}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// end ends the conversation; the first why counts.
func (c *Conn) end(why error) {
	c.ending.Do(func() {
		c.cancel()
		c.leave()
		c.err = why
		c.out.Close()
		close(c.done)
	})
}

// sameServer keeps a token from being sent to others.
func sameServer(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Scheme != first.Scheme || r.URL.Host != first.Host || len(via) > 10 {
		return fmt.Errorf("it redirects to %s; if that is right, use this URL", Server{URL: r.URL.String()}.Name())
	}
	return nil
}

// Write posts the lines that are complete with b. It returns when the server has taken those that are not calls. What
// follows initialize waits for its answer.
func (c *Conn) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		at := bytes.IndexByte(rest, '\n')
		if at < 0 {
			c.line = append(c.line, rest...)
			break
		}
		line := bytes.TrimSpace(append(c.line, rest[:at]...))
		c.line, rest = nil, rest[at+1:]
		if len(line) == 0 {
			continue
		}
		if c.ctx.Err() != nil {
			return 0, io.ErrClosedPipe
		}
		c.send(pipeline.Parse(line))
	}
	return len(b), nil
}

// taken is how long a server may take to accept what it does not answer.
const taken = 30 * time.Second

// send posts a message.
func (c *Conn) send(m *pipeline.Message) {
	if c.greeted != nil && m.Kind() != pipeline.Response { // a question may come before the answer to initialize
		<-c.greeted
	}
	if id, ok := pipeline.MCP.Cancelled(m); ok {
		if call := c.take(id.Key(), nil); call != nil {
			defer call.cancel() // a server may keep the response open without an answer
			if call.stateless {
				return
			}
		}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	if m.Kind() == pipeline.Call || m.Kind() == pipeline.Batch {
		call, greeted := &running{cancel, claimed(m) != ""}, func() {}
		switch {
		case m.Method() == "initialize":
			answered := make(chan struct{})
			c.greeted, greeted = answered, func() { close(answered) }
		case m.Kind() == pipeline.Call:
			c.mu.Lock()
			c.running[m.ID().Key()] = call
			c.mu.Unlock()
		}
		c.calls.Go(func() {
			defer cancel()
			defer greeted()
			c.post(ctx, m)
			c.take(m.ID().Key(), call)
		})
		return
	}
	defer cancel()
	defer time.AfterFunc(taken, cancel).Stop()
	c.post(ctx, m)
	if m.Method() == "notifications/initialized" {
		go c.follow(c.ctx, nil, nil)
	}
}

// take returns the call that runs under a key, and forgets it. It returns nil if none does, or it is not this one; nil
// stands for any.
func (c *Conn) take(key string, this *running) *running {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.running[key]
	if call == nil || this != nil && call != this {
		return nil
	}
	delete(c.running, key)
	return call
}

// post posts a message, and passes on what the server responds with.
func (c *Conn) post(ctx context.Context, m *pipeline.Message) {
	r, err := c.request(ctx, http.MethodPost, bytes.NewReader(m.Line()))
	if err != nil {
		c.refuse(ctx, m, err)
		return
	}
	r.Header.Set("Content-Type", message.Type)
	r.Header.Set("Accept", message.Type+", "+message.Events)
	setHeaders(r.Header, m)
	response, err := c.do(r)
	if err != nil {
		c.refuse(ctx, m, err)
		return
	}
	defer response.Body.Close()
	if m.Method() == "initialize" {
		c.mu.Lock()
		c.session = response.Header.Get("Mcp-Session-Id")
		c.mu.Unlock()
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch answers := m.Kind() == pipeline.Call || m.Kind() == pipeline.Batch; {
	case response.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != "":
		c.mu.Lock()
		c.session = "" // there is none to delete
		c.mu.Unlock()
		c.end(errors.New("has ended the session"))
	case answers && response.StatusCode == http.StatusOK && kind == message.Events:
		c.follow(ctx, response.Body, m)
	case answers && kind == message.Type:
		c.body(ctx, response, m)
	case answers || response.StatusCode >= 300:
		c.refuse(ctx, m, status(response, response.Body))
	}
}

// do sends a request. Its error is without the URL.
func (c *Conn) do(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r)
	return response, bare(err)
}

// status is the error for a response without a message.
func status(response *http.Response, body io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, 200))
	err := fmt.Errorf("the server answered with HTTP %s", response.Status)
	if said := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "\ufffd")), " "); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	if response.StatusCode == http.StatusUnauthorized {
		err = fmt.Errorf("%w; it needs a token: --token-file or --token-env", err)
	}
	return err
}

// body passes on the message that is the body of a response.
func (c *Conn) body(ctx context.Context, response *http.Response, m *pipeline.Message) {
	text, err := io.ReadAll(io.LimitReader(response.Body, int64(c.s.MaxMessage)+1))
	if err == nil && len(text) > c.s.MaxMessage {
		err = tooLong(c.s.MaxMessage)
	}
	if err != nil {
		c.refuse(ctx, m, err)
		return
	}
	switch said := pipeline.Parse(text); {
	case answers(said, m):
		c.deliver(said, m)
	case said.Kind() == pipeline.Response && said.ID().IsZero() && response.StatusCode != http.StatusUnauthorized:
		c.refuse(ctx, m, said.Fault())
	case response.StatusCode >= 300:
		c.refuse(ctx, m, status(response, bytes.NewReader(text)))
	case said.Kind() == pipeline.Malformed:
		c.refuse(ctx, m, said.Fault())
	default:
		c.refuse(ctx, m, errors.New("the server answered with something other than the response to this call"))
	}
}

// answers reports whether what the server said answers m, as one message of a batch may.
func answers(said, m *pipeline.Message) bool {
	for item := range said.Items() {
		if answers(item, m) {
			return true
		}
	}
	response := said.Kind() == pipeline.Response || said.Kind() == pipeline.Malformed && !said.Answerable()
	return response && !said.ID().IsZero() && (m.Kind() == pipeline.Batch || said.ID().Key() == m.ID().Key())
}

func tooLong(most int) error {
	return fmt.Errorf("a message of the server is longer than %d bytes", most)
}

// refuse answers a call that got no answer; what else could not be sent is logged.
func (c *Conn) refuse(ctx context.Context, m *pipeline.Message, why error) {
	switch {
	case ctx.Err() != nil && (c.ctx.Err() != nil || m.Kind() == pipeline.Call): // nobody waits for it
	case m.Kind() == pipeline.Call:
		c.deliver(m.Refuse(why), m)
	default:
		c.s.Log.Warn("the server has not taken a message", "method", m.Method(), "error", why)
	}
}

// deliver has a message of the server read. asked: the call whose response it was in, if any.
func (c *Conn) deliver(said, asked *pipeline.Message) {
	if asked != nil && asked.Method() == "initialize" {
		c.mu.Lock()
		_ = json.Unmarshal(pipeline.Member(said.Result(), "protocolVersion"), &c.revision)
		c.mu.Unlock()
	}
	if said.Kind() == pipeline.Malformed && asked != nil && asked.Kind() == pipeline.Call && answers(said, asked) {
		said = asked.Refuse(said.Fault())
	}
	line := said.Line()
	_, _ = c.out.Write(append(line[:len(line):len(line)], '\n')) // fails when nobody reads any more
}

// farewell is how long a server may take to delete a session: a client expects the end within a second.
const farewell = 500 * time.Millisecond

// leave deletes the session.
func (c *Conn) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if r, err := c.request(ctx, http.MethodDelete, nil); err == nil && r.Header.Get("Mcp-Session-Id") != "" {
		if response, err := c.client.Do(r); err == nil {
			response.Body.Close()
		}
	}
}

// CloseWrite ends the conversation when all calls were answered.
func (c *Conn) CloseWrite() error {
	go func() {
		c.calls.Wait()
		c.end(nil)
	}()
	return nil
}

// Close ends the conversation: calls that run are given up.
func (c *Conn) Close() error {
	c.PipeReader.Close()
	c.end(nil)
	return nil
}

// Done is closed when the conversation has ended. Err then returns why, if the server has ended it.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the server has ended the conversation, nil if it has not. Call it after Done.
func (c *Conn) Err() error { return c.err }
