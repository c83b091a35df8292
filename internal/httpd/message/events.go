package message

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Events is the media type of a stream of server-sent events.
const Events = "text/event-stream"

// An Event is a server-sent event. Empty fields are left out, except Data.
type Event struct {
	ID    string
	Name  string        // of the event; empty: message
	Data  []byte        // may be empty
	Retry time.Duration // that the client should wait before it reconnects
}

// A Writer writes events to the response of an HTTP request and flushes each of them. It must be used
// by one goroutine at a time.
type Writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  []byte
}

// Begin starts a stream as the response.
func Begin(w http.ResponseWriter) *Writer {
	h := w.Header()
	h.Set("Content-Type", Events)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer events
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	return &Writer{w: w, control: http.NewResponseController(w)}
}

// Write sends an event.
func (s *Writer) Write(e Event) error {
	b := s.buffer[:0]
	if e.Name != "" {
		b = append(append(append(b, "event: "...), e.Name...), '\n')
	}
	if e.ID != "" {
		b = append(append(append(b, "id: "...), e.ID...), '\n')
	}
	if e.Retry > 0 {
		b = append(strconv.AppendInt(append(b, "retry: "...), e.Retry.Milliseconds(), 10), '\n')
	}
	for rest, more := e.Data, true; more; {
		var line []byte
		line, rest, more = bytes.Cut(rest, []byte{'\n'})
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return s.send(append(b, '\n'))
}

// Comment sends a comment, which clients ignore, to keep open a connection without events.
func (s *Writer) Comment() error { return s.send(append(s.buffer[:0], ":\n\n"...)) }

func (s *Writer) send(b []byte) error {
	if cap(b) <= 64<<10 {
		s.buffer = b
	}
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.control.Flush()
}

// Follow sends the events that next returns, until next fails or the client has disconnected. The
// context of next expires after quiet; if next fails for that reason, Follow sends a comment and calls
// next again.
func (s *Writer) Follow(ctx context.Context, quiet time.Duration, next func(context.Context) (Event, error)) {
	for {
		soon, cancel := context.WithTimeout(ctx, quiet)
		e, err := next(soon)
		cancel()
		switch {
		case err == nil:
			err = s.Write(e)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			err = s.Comment()
		}
		if err != nil {
			return
		}
	}
}
