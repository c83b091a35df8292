package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A stream of events that ends too early is opened again, where it ended: the response to a call so often without
// another event. The wait before doubles each time; the server may set the first.
const (
	attempts = 5
	wait     = time.Second
	shortest = 100 * time.Millisecond
	longest  = time.Minute
)

// A position is how far a stream of events was read.
type position struct {
	last string // the id of the last event; empty for none
	wait time.Duration
}

// follow passes on the events of a response to m until it is answered. Without m it is the server's own stream, which
// is opened and followed until the end of the conversation, if the server has one.
func (c *Conn) follow(ctx context.Context, body io.ReadCloser, m *pipeline.Message) {
	at := position{wait: wait}
	why := errors.New("the response of the server ended before the answer")
	for failed := 0; ; failed++ {
		if body != nil {
			before, opened := at.last, time.Now()
			answered, err := c.events(body, &at, m)
			body.Close()
			switch {
			case answered:
				return
			case errors.Is(err, bufio.ErrTooLong):
				why = tooLong(c.s.MaxMessage)
				c.s.Log.Warn("a message was dropped", "error", why)
			case at.last != before, m == nil && time.Since(opened) > at.wait: // it went on
				failed = 0
			}
		}
		if m != nil && (failed >= attempts || at.last == "" || claimed(m) != "") {
			break // such a response cannot be resumed
		}
		if body != nil || failed > 0 {
			select {
			case <-time.After(min(at.wait<<min(failed, 10), longest)):
			case <-ctx.Done():
				return
			}
		}
		next, final, err := c.listen(ctx, &at)
		if err != nil {
			why = err
			c.s.Log.Debug("a stream of the server cannot be opened", "error", why)
		}
		if body = next; final {
			break
		}
	}
	if m != nil {
		c.refuse(ctx, m, why)
	}
}

// listen opens a stream of events. final: it is of no use to try that again.
func (c *Conn) listen(ctx context.Context, at *position) (body io.ReadCloser, final bool, err error) {
	r, err := c.request(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, false, err
	}
	r.Header.Set("Accept", message.Events)
	set(r.Header, "Last-Event-ID", at.last)
	response, err := c.do(r)
	if err != nil {
		return nil, false, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	code := response.StatusCode
	if code == http.StatusOK && kind == message.Events {
		return response.Body, false, nil
	}
	defer response.Body.Close()
	if code == http.StatusBadRequest || code == http.StatusNotFound {
		at.last = "" // it does not know that event any more
	}
	return nil, code == http.StatusMethodNotAllowed, status(response, response.Body)
}

// events passes on the events of a response until its end, or until m is answered.
func (c *Conn) events(body io.Reader, at *position, m *pipeline.Message) (answered bool, err error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 4<<10), c.s.MaxMessage+16)
	var data []byte
	kind, id := "", at.last
	for lines.Scan() {
		line := lines.Bytes()
		before, value, _ := bytes.Cut(line, []byte(":"))
		name, value := string(before), bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0:
			text, other := data, kind != "" && kind != "message"
			data, kind, at.last = nil, "", id
			if len(text) == 0 || other {
				continue
			}
			said := pipeline.Parse(text)
			c.deliver(said, m)
			if m != nil && m.Kind() == pipeline.Call && answers(said, m) {
				return true, nil
			}
		case name == "data":
			if len(data)+len(value) > c.s.MaxMessage {
				at.last = id // what comes after it can still be read
				return false, fmt.Errorf("%w: %d", bufio.ErrTooLong, len(data))
			}
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case name == "event":
			kind = string(value)
		case name == "id" && bytes.IndexByte(value, 0) < 0:
			id = string(value) // that of the event, when it is whole
		case name == "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				at.wait = min(max(time.Duration(ms)*time.Millisecond, shortest), longest)
			}
		}
	}
	if err = lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		at.last = id
	}
	return m != nil && m.Kind() == pipeline.Batch, err // which answers are to come is not known of a batch
}
