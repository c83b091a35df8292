package remote

import (
	"bufio"
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

// A stream of events that ends too early is opened again, where it ended, so often in a row, after a wait that the server
// may set.
const (
	attempts = 5
	wait     = time.Second
	longest  = time.Minute
)

// A position is how far a stream of events was read.
type position struct {
	last string // the id of the last event; empty for none
	wait time.Duration
}

// follow passes on the events of a response to m until it is answered. Without m it is the server's own stream, which is
// opened and followed until the end of the conversation, if the server has one.
func (c *Conn) follow(ctx context.Context, body io.ReadCloser, m *pipeline.Message) {
	at := position{wait: wait}
	why := errors.New("the response of the server ended before the answer")
	for failed := 0; failed < attempts; failed++ {
		if body != nil {
			before := at.last
			answered, err := c.events(body, &at, m)
			body.Close()
			switch {
			case answered:
				return
			case errors.Is(err, bufio.ErrTooLong):
				why = tooLong(c.s.MaxMessage)
			case at.last != before, m == nil: // it went on
				failed = 0
			}
		}
		if m != nil && (at.last == "" || claimed(m) != "") {
			break // such a response cannot be resumed
		}
		if body != nil || failed > 0 {
			select {
			case <-time.After(at.wait):
			case <-ctx.Done():
				return
			}
		}
		r, err := c.request(ctx, http.MethodGet, nil)
		if err != nil {
			why = err
			break
		}
		r.Header.Set("Accept", message.Events)
		set(r.Header, "Last-Event-ID", at.last)
		body = nil
		response, err := c.client.Do(r)
		if err != nil {
			why = err
			continue
		}
		if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); response.StatusCode != http.StatusOK || kind != message.Events {
			why = status(response)
			response.Body.Close()
			break // it has none
		}
		body = response.Body
	}
	if m != nil {
		c.refuse(ctx, m, why)
	} else {
		c.s.Log.Debug("nothing is heard of the server but in answers", "error", why)
	}
}

// events passes on the events of a response until its end, or until m is answered.
func (c *Conn) events(body io.Reader, at *position, m *pipeline.Message) (answered bool, err error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 4<<10), c.s.MaxMessage+16)
	var data []byte
	kind := ""
	for lines.Scan() {
		line := lines.Bytes()
		name, value := split(line)
		switch {
		case len(line) == 0:
			text, other := data, kind != "" && kind != "message"
			data, kind = nil, ""
			if len(text) == 0 || other {
				continue
			}
			c.deliver(text, m)
			if answer := pipeline.Parse(text); m != nil && answer.Kind() != pipeline.Call && answer.ID().Key() == m.ID().Key() {
				return true, nil
			}
		case name == "data":
			if len(data)+len(value) > c.s.MaxMessage {
				return false, fmt.Errorf("%w: %d", bufio.ErrTooLong, len(data))
			}
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case name == "event":
			kind = string(value)
		case name == "id":
			at.last = string(value)
		case name == "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil {
				at.wait = min(time.Duration(ms)*time.Millisecond, longest)
			}
		}
	}
	return false, lines.Err()
}

// split returns the name and the value of a line of an event.
func split(line []byte) (name string, value []byte) {
	for i, b := range line {
		if b == ':' {
			value = line[i+1:]
			if len(value) > 0 && value[0] == ' ' {
				value = value[1:]
			}
			return string(line[:i]), value
		}
	}
	return string(line), nil
}
