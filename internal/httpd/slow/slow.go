// Package slow ends requests of clients that do not go on sending or reading, which would otherwise hold
// what the request holds for ever.
package slow

import (
	"io"
	"net/http"
	"time"
)

// chunk is how many bytes a client has to take in time: also a slow network takes so few.
const chunk = 64 << 10

// Handler ends a request of next whose client sends nothing of the body, or takes nothing of the response,
// for longer than patience.
func Handler(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := client{http.NewResponseController(w), patience}
		r.Body = &body{r.Body, c}
		next.ServeHTTP(&response{w, c}, r)
		c.writeBy(time.Now().Add(patience)) // the rest of the response
	})
}

// A client is the client's end of a connection. Not all connections support deadlines, so errors of them
// are ignored.
type client struct {
	*http.ResponseController
	patience time.Duration
}

func (c client) readBy(t time.Time)  { _ = c.SetReadDeadline(t) }
func (c client) writeBy(t time.Time) { _ = c.SetWriteDeadline(t) }

// A body is the body of a request.
type body struct {
	io.ReadCloser
	client client
}

func (b *body) Read(p []byte) (int, error) {
	b.client.readBy(time.Now().Add(b.client.patience))
	defer b.client.readBy(time.Time{}) // or the request would end later, while it is answered
	return b.ReadCloser.Read(p)
}

// A response is the response to a request.
type response struct {
	http.ResponseWriter
	client client
}

func (w *response) Write(p []byte) (written int, err error) {
	defer w.client.writeBy(time.Time{}) // or HTTP/2 would end a stream without events
	for {
		part := p[:min(len(p), chunk)]
		w.client.writeBy(time.Now().Add(w.client.patience))
		n, err := w.ResponseWriter.Write(part)
		written += n
		if p = p[len(part):]; err != nil || len(p) == 0 {
			return written, err
		}
	}
}

// FlushError implements what [http.ResponseController] looks for.
func (w *response) FlushError() error {
	w.client.writeBy(time.Now().Add(w.client.patience))
	defer w.client.writeBy(time.Time{})
	return w.client.Flush()
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
