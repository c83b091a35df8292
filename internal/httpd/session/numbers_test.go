package session_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// numbered begins a session that has an id, so that its calls are numbered.
func numbered(t *testing.T) (*session.Session, *conn) {
	t.Helper()
	o := &conns{}
	table := &session.Table{Opener: o, Limits: limits, Places: limit.NewShares("sessions are open", 1, 1), Log: slog.New(slog.DiscardHandler)}
	s, err := table.Open("ada")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(table.Close)
	return s, o.last
}

// got returns what the server has got since the last call.
func (c *conn) got() (lines []string) {
	lines, c.sent = c.sent, nil
	return lines
}

const (
	calling    = `{"jsonrpc":"2.0","id":"a","method":"m"}`
	cancelling = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"r"}}`
)

func TestCallsWithOneIDAreAllServedAndEachClientSeesItsOwnID(t *testing.T) {
	is := is.New(t)
	s, server := numbered(t)
	one, other := post(t, s, calling), post(t, s, `{ "method":"m", "id":"\u0061", "jsonrpc":"2.0"}`)
	is.Equal(server.got(), []string{`{"jsonrpc":"2.0","id":1,"method":"m"}`, `{ "method":"m", "id":2, "jsonrpc":"2.0"}`})
	server.receive([]byte(`{"jsonrpc":"2.0","method":"notifications/message"}`), "1")
	server.receive([]byte(`{"result":{"id":2},"id":2,"jsonrpc":"2.0"}`), "2")
	server.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":{"id":1}}`), "1")
	is.Equal(read(t, one), `{"jsonrpc":"2.0","method":"notifications/message"} {"jsonrpc":"2.0","id":"a","result":{"id":1}}`)
	is.Equal(read(t, other), `{"result":{"id":2},"id":"\u0061","jsonrpc":"2.0"}`)
}

func TestProgressOfATokenThatTwoCallsHaveIsDroppedUnlessItsCallIsKnown(t *testing.T) {
	is := is.New(t)
	s, server := numbered(t)
	call := func() *session.Exchange {
		return post(t, s, `{"jsonrpc":"2.0","id":0,"method":"m","params":{"_meta":{"progressToken":0}}}`)
	}
	one, other := call(), call()
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0}}`
	server.receive([]byte(progress), "")
	server.receive([]byte(progress), "2")
	server.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":1}`), "1")
	server.receive([]byte(progress), "") // now only one has it
	server.receive([]byte(`{"jsonrpc":"2.0","id":2,"result":2}`), "2")
	is.Equal(read(t, one), `{"jsonrpc":"2.0","id":0,"result":1}`)
	is.Equal(read(t, other), progress+" "+progress+` {"jsonrpc":"2.0","id":0,"result":2}`)
}

func TestACancellationReachesTheServerWithTheNumberOfItsCall(t *testing.T) {
	is := is.New(t)
	s, server := numbered(t)
	first := post(t, s, calling)
	post(t, s, cancelling)
	is.Equal(read(t, first), "") // it is not answered
	is.Equal(server.got(), []string{`{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}}`})
	second := post(t, s, calling)
	server.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":"late"}`), "1")
	server.receive([]byte(`{"jsonrpc":"2.0","id":2,"result":"second"}`), "2")
	is.Equal(read(t, second), `{"jsonrpc":"2.0","id":"a","result":"second"}`)
}

func TestACancellationThatMayMeanSeveralCallsOrNoneCancelsNone(t *testing.T) {
	is := is.New(t)
	s, server := numbered(t)
	one, other := post(t, s, calling), post(t, s, calling)
	server.got()
	post(t, s, cancelling)
	post(t, s, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) // is a number of ours, and no id of the client
	post(t, s, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	is.Equal(len(server.got()), 0)
	server.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":1}`), "1")
	server.receive([]byte(`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}`), "2")
	is.Equal(read(t, one), `{"jsonrpc":"2.0","id":"a","result":1}`)
	is.Equal(read(t, other), `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}`)

	both := post(t, s, cancelling, calling) // a cancellation before its call
	is.Equal(server.got(), []string{`{"jsonrpc":"2.0","id":3,"method":"m"}`})
	server.receive([]byte(`{"jsonrpc":"2.0","id":3,"result":3}`), "3")
	is.Equal(read(t, both), `{"jsonrpc":"2.0","id":"a","result":3}`)
}

func TestNoAnswerOfACallWhoseClientHasDisconnectedGoesToAnother(t *testing.T) {
	is := is.New(t)
	s, server := numbered(t)
	post(t, s, calling).Abandon()
	second := post(t, s, calling)
	server.receive([]byte(`{"jsonrpc":"2.0","id":1,"result":"first"}`), "1")
	server.receive([]byte(`{"jsonrpc":"2.0","id":2,"result":"second"}`), "2")
	is.Equal(read(t, second), `{"jsonrpc":"2.0","id":"a","result":"second"}`)
}

func TestACallThatTheServerDidNotGetTakesNoPlace(t *testing.T) {
	is := is.New(t)
	s, server := numbered(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 * limits.Exchanges {
		_, err := s.Post(gone, pipeline.Parse([]byte(calling)))
		is.True(errors.Is(err, context.Canceled))
	}
	post(t, s, calling)
	is.Equal(len(server.got()), 1)
}

func TestACancelledCallDoesNotKeepASessionOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		why := make(chan string, 1)
		table := &session.Table{Opener: &conns{}, Limits: limits, Places: limit.NewShares("sessions are open", 1, 1), Idle: time.Minute, Ended: func(w string) { why <- w }, Log: slog.New(slog.DiscardHandler)}
		defer table.Close()
		s, err := table.Open("ada")
		is.NoErr(err)
		post(t, s, calling)
		post(t, s, cancelling)
		begun := time.Now()
		s.Leave()
		is.Equal(<-why, session.Idled)
		is.Equal(time.Since(begun), time.Minute)
	})
}
