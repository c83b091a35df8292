package session_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A conn is a server whose messages a test determines.
type conn struct {
	receive backend.Receiver
	sent    []string // what it got
	done    chan struct{}
	once    sync.Once
}

func (c *conn) Send(ctx context.Context, line []byte) error {
	if ctx.Err() == nil {
		c.sent = append(c.sent, string(line))
	}
	return ctx.Err()
}

func (c *conn) Close()                { c.once.Do(func() { close(c.done) }) }
func (c *conn) Done() <-chan struct{} { return c.done }
func (c *conn) Err() error            { return errors.New("it is gone") }

// conns opens conn values.
type conns struct{ last *conn }

func (o *conns) Open(_ string, receive backend.Receiver) (backend.Conn, error) {
	o.last = &conn{receive: receive, done: make(chan struct{})}
	return o.last, nil
}

var limits = session.Limits{Exchanges: 2, Buffer: 1 << 20, Keep: 1 << 10}

func begin(t *testing.T) (*session.Session, *conn) {
	t.Helper()
	o := &conns{}
	s, err := session.Open(o, "", limits, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, o.last
}

func post(t *testing.T, s *session.Session, lines ...string) *session.Exchange {
	t.Helper()
	var all []*pipeline.Message
	for _, line := range lines {
		all = append(all, pipeline.Parse([]byte(line)))
	}
	e, err := s.Post(t.Context(), all...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// read returns the events of a stream until its end.
func read(t *testing.T, e *session.Exchange) string {
	t.Helper()
	var all []string
	for r := e.Stream.Read(); ; {
		one, err := r.Next(t.Context())
		if err != nil {
			return strings.Join(all, " ")
		}
		all = append(all, string(one.Data))
	}
}

func TestAMessageGoesToTheExchangeOfItsCall(t *testing.T) {
	is := is.New(t)
	s, server := begin(t)
	one := post(t, s, `{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"progressToken":"t"}}}`)
	other := post(t, s, `{"jsonrpc":"2.0","id":"1","method":"b"}`) // another id
	for _, m := range []struct{ line, cause string }{
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}`, ""}, // known by its token
		{`{"jsonrpc":"2.0","method":"notifications/message"}`, `"1"`},
		{`{"jsonrpc":"2.0","id":1,"result":1}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}`, "1"}, // too late
		{`{"jsonrpc":"2.0","method":"notifications/message","params":2}`, ""},                       // the only call is its cause
		{`{"jsonrpc":"2.0","id":7,"result":1}`, ""},                                                 // nobody asked
		{`what is not JSON`, ""},
		{`{"jsonrpc":"2.0","id":"1","result":1}`, ""},
	} {
		server.receive([]byte(m.line), m.cause)
	}
	is.Equal(read(t, one), `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}} {"jsonrpc":"2.0","id":1,"result":1}`)
	is.Equal(read(t, other), `{"jsonrpc":"2.0","method":"notifications/message"} {"jsonrpc":"2.0","method":"notifications/message","params":2} {"jsonrpc":"2.0","id":"1","result":1}`)
}

func TestCallsThatCameTogetherAreTakenTogetherOrNotAtAll(t *testing.T) {
	is := is.New(t)
	s, server := begin(t)
	a, b, c := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`)), pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":2,"method":"b"}`)), pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":3,"method":"c"}`))
	_, err := s.Post(t.Context(), a, b, a)
	is.True(errors.Is(err, session.ErrDuplicate))
	_, err = s.Post(t.Context(), a, b, c)
	is.True(errors.Is(err, session.ErrBusy))
	e, err := s.Post(t.Context(), a, b)
	is.NoErr(err)
	server.receive([]byte(`[{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":1,"result":1}]`), "")
	is.Equal(read(t, e), `{"jsonrpc":"2.0","id":2,"result":2} {"jsonrpc":"2.0","id":1,"result":1}`)
}

func TestATableIsBoundedAndSaysWhySessionsEnd(t *testing.T) {
	is := is.New(t)
	o := &conns{}
	why := make(chan string, 3)
	table := &session.Table{Opener: o, Limits: limits, Places: limit.NewShares("sessions are open", 2, 2), Ended: func(w string) { why <- w }, Log: slog.New(slog.DiscardHandler)}
	one, err := table.Open("ada")
	is.NoErr(err)
	first := o.last
	two, err := table.Open("ada")
	is.NoErr(err)
	_, err = table.Open("ada")
	is.True(errors.Is(err, limit.ErrFull))
	is.True(one.ID() != two.ID())
	is.Equal(table.Get(one.ID(), "bob"), nil)
	is.Equal(table.Get(one.ID(), "ada"), one)
	first.Close() // the server has ended
	is.Equal(<-why, session.Crashed)
	is.Equal(table.Get(one.ID(), "ada"), nil)
	table.End(two, session.Deleted)
	is.Equal(<-why, session.Deleted)
	three, err := table.Open("ada")
	is.NoErr(err)
	table.Close()
	is.Equal(<-why, session.ShutDown)
	<-three.Done()
	_, err = table.Open("ada")
	is.True(errors.Is(err, backend.ErrEnded))
}

func TestTheAnswerToInitializeComesAlone(t *testing.T) {
	is := is.New(t)
	s, server := begin(t)
	e := post(t, s, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":{"progressToken":"t"}}}`)
	for _, m := range []struct{ line, cause string }{
		{`{"jsonrpc":"2.0","method":"notifications/message"}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/message"}`, "1"},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}`, ""},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "1"},
	} {
		server.receive([]byte(m.line), m.cause)
	}
	is.Equal(read(t, e), `{"jsonrpc":"2.0","id":1,"result":{}}`)
}
