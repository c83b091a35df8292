package backend_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
)

// A dying server is asked to end, and does so when ends is closed.
type dying struct{ asked, ends chan struct{} }

func (d dying) Open(string, backend.Receiver) (backend.Conn, error) { return d, nil }
func (d dying) Send(context.Context, []byte) error                  { return nil }
func (d dying) Done() <-chan struct{}                               { return d.ends }
func (d dying) Err() error                                          { return backend.ErrEnded }

func (d dying) Close() {
	d.asked <- struct{}{}
	<-d.ends
}

func TestAServerCountsUntilItHasEnded(t *testing.T) {
	is := is.New(t)
	d := dying{make(chan struct{}), make(chan struct{})}
	pool := &backend.Pool{Opener: d, Max: 1}
	open := func() (backend.Conn, error) { return pool.Open("", func([]byte, string) {}) }
	c, err := open()
	is.NoErr(err)
	is.NoErr(c.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`)))
	closed := make(chan struct{})
	go func() {
		c.Close() // cancels the request
		close(closed)
	}()
	<-d.asked
	_, err = open()
	is.True(errors.Is(err, backend.ErrPoolFull))
	close(d.ends)
	<-closed
	_, err = open()
	is.NoErr(err)
}

// A writing server writes what a test has it write.
type writing struct {
	opened  int
	receive backend.Receiver
}

func (w *writing) Open(_ string, receive backend.Receiver) (backend.Conn, error) {
	w.opened++
	w.receive = receive
	receive([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"started"}}`), "")
	return w, nil
}
func (w *writing) Send(context.Context, []byte) error { return nil }
func (w *writing) Done() <-chan struct{}              { return nil }
func (w *writing) Err() error                         { return nil }
func (w *writing) Close()                             {}

func TestAServerThatWritesWhatNoRequestWaitsForIsNotLentAgain(t *testing.T) {
	const answer, stray = `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"secret"}}`
	for _, c := range []struct {
		name               string
		beforeClose, later string
		opened             int
	}{
		{"nothing", "", "", 1},
		{"after its answer", stray, "", 2},
		{"while it is not lent", "", stray, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			w := &writing{}
			pool := &backend.Pool{Opener: w, Max: 2, Idle: time.Hour}
			ask := func() (heard string) {
				conn, err := pool.Open("", func(line []byte, _ string) { heard += string(line) })
				is.NoErr(err)
				is.NoErr(conn.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`)))
				for _, line := range []string{answer, c.beforeClose} {
					if line != "" {
						w.receive([]byte(line), "")
					}
				}
				conn.Close()
				return heard
			}
			is.Equal(ask(), answer)
			if c.later != "" {
				w.receive([]byte(c.later), "")
			}
			is.Equal(ask(), answer)
			is.Equal(w.opened, c.opened)
			pool.Close()
		})
	}
}

func TestAnAnswerToAnotherRequestIsNotPassedOnAndItsServerNotLentAgain(t *testing.T) {
	is := is.New(t)
	w := &writing{}
	pool := &backend.Pool{Opener: w, Max: 2, Idle: time.Hour}
	defer pool.Close()
	ask := func(id string, answers ...string) (heard string) {
		conn, err := pool.Open("", func(line []byte, _ string) { heard += string(line) })
		is.NoErr(err)
		defer conn.Close()
		is.NoErr(conn.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"x"}`)))
		for _, id := range answers {
			w.receive([]byte(`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`), "")
		}
		return heard
	}
	is.Equal(ask("1", "1"), `{"jsonrpc":"2.0","id":1,"result":{}}`)
	is.Equal(ask("2", "1", "2"), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	is.Equal(w.opened, 1)
	is.Equal(ask("1", "1"), `{"jsonrpc":"2.0","id":1,"result":{}}`)
	is.Equal(w.opened, 2)
}
