package message_test

import (
	"context"
	"io"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
)

func TestAnEventIsWrittenAsTheStandardHasIt(t *testing.T) {
	for name, c := range map[string]struct {
		event message.Event
		want  string
	}{
		"data":           {message.Event{Data: []byte(`{"a":1}`)}, "data: {\"a\":1}\n\n"},
		"several lines":  {message.Event{Data: []byte("a\nb")}, "data: a\ndata: b\n\n"},
		"an id":          {message.Event{ID: "3-1", Data: []byte("x")}, "id: 3-1\ndata: x\n\n"},
		"an empty event": {message.Event{ID: "3-0"}, "id: 3-0\ndata: \n\n"},
		"a name":         {message.Event{Name: "endpoint", Data: []byte("/m")}, "event: endpoint\ndata: /m\n\n"},
		"a retry":        {message.Event{ID: "1", Retry: 1500 * time.Millisecond}, "id: 1\nretry: 1500\ndata: \n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			r := httptest.NewRecorder()
			is.NoErr(message.Begin(r).Write(c.event))
			is.Equal(r.Body.String(), c.want)
			is.True(r.Flushed) // it is sent at once
		})
	}
}

func TestAStreamTellsProxiesNotToHoldItBack(t *testing.T) {
	is := is.New(t)
	r := httptest.NewRecorder()
	is.NoErr(message.Begin(r).Comment())
	is.Equal(r.Body.String(), ":\n\n")
	is.Equal(r.Header().Get("Content-Type"), "text/event-stream")
	is.Equal(r.Header().Get("X-Accel-Buffering"), "no")
	is.Equal(r.Header().Get("Cache-Control"), "no-cache, no-transform")
}

func TestAStreamOnWhichNothingHappensIsKeptOpenByComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		r := httptest.NewRecorder()
		events := make(chan message.Event)
		go func() {
			<-time.After(25 * time.Second)
			events <- message.Event{Data: []byte("x")}
			close(events)
		}()
		message.Begin(r).Follow(t.Context(), 10*time.Second, func(ctx context.Context) (message.Event, error) {
			select {
			case e, ok := <-events:
				if !ok {
					return e, io.EOF
				}
				return e, nil
			case <-ctx.Done():
				return message.Event{}, ctx.Err()
			}
		})
		is.Equal(r.Body.String(), ":\n\n:\n\ndata: x\n\n")
	})
}

func TestAStreamEndsWithItsRequest(t *testing.T) {
	is := is.New(t)
	r := httptest.NewRecorder()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	message.Begin(r).Follow(ctx, time.Minute, func(ctx context.Context) (message.Event, error) { return message.Event{}, ctx.Err() })
	is.Equal(r.Body.String(), "")
}
