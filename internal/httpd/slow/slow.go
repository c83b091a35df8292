// Package slow ends requests whose clients stop sending or reading. Otherwise such a request would keep its
// connection, and everything else that it uses, for ever.
package slow

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// chunk is how many bytes a client must take within the time limit: few enough for a slow network.
const chunk = 64 << 10

// Handler ends a request of next whose client sends nothing of the body, or takes nothing of the response,
// for longer than patience.
func Handler(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &client{ResponseController: http.NewResponseController(w), patience: patience}
		c.over.Store(r.ContentLength == 0)
		limited := *r // net/http looks at the body of its own request, to decide what becomes of the rest
		limited.Body = &body{ReadCloser: r.Body, client: c}
		next.ServeHTTP(&response{w, c}, &limited)
		c.limitWrite() // of the rest of the response
	})
}

// A client is the client's end of a connection. Not all connections support deadlines, so errors of them
// are ignored.
type client struct {
	*http.ResponseController
	patience time.Duration
	over     atomic.Bool // the body was read to its end or failed, or there is none
}

func (c *client) readBy(t time.Time)  { _ = c.SetReadDeadline(t) }
func (c *client) writeBy(t time.Time) { _ = c.SetWriteDeadline(t) }

func (c *client) limitRead()   { c.readBy(time.Now().Add(c.patience)) }
func (c *client) unlimitRead() { c.readBy(time.Time{}) }

// limitWrite also limits reading, as net/http reads the rest of a body before it responds.
func (c *client) limitWrite() {
	by := time.Now().Add(c.patience)
	if !c.over.Load() {
		c.readBy(by)
		by = by.Add(c.patience)
	}
	c.writeBy(by)
}

func (c *client) unlimitWrite() {
	if !c.over.Load() {
		c.unlimitRead()
	}
	c.writeBy(time.Time{})
}

// A body is the body of a request.
type body struct {
	io.ReadCloser
	client *client
	err    error // that ended it
}

func (b *body) Read(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	b.client.limitRead()
	n, b.err = b.ReadCloser.Read(p)
	if b.err != nil {
		b.client.over.Store(true)
	}
	if b.err == nil || b.err == io.EOF {
		b.client.unlimitRead() // or the request would end later, while it is answered
	} // else the limit stays: net/http reads the rest of a body that failed
	return n, b.err
}

// A response is the response to a request.
type response struct {
	http.ResponseWriter
	client *client
}

func (w *response) Write(p []byte) (written int, err error) {
	defer w.client.unlimitWrite() // or HTTP/2 would end a stream without events
	for {
		part := p[:min(len(p), chunk)]
		w.client.limitWrite()
		n, err := w.ResponseWriter.Write(part)
		written += n
		if p = p[len(part):]; err != nil || len(p) == 0 {
			return written, err
		}
	}
}

// FlushError implements what [http.ResponseController] looks for.
func (w *response) FlushError() error {
	w.client.limitWrite()
	defer w.client.unlimitWrite()
	return w.client.Flush()
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
