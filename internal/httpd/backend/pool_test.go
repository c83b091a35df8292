package backend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
)

// A dying server is asked to end, and does so when ends is closed.
type dying struct{ asked, ends chan struct{} }

func (d dying) Open(backend.Receiver) (backend.Conn, error) { return d, nil }
func (d dying) Send(context.Context, []byte) error          { return nil }
func (d dying) Done() <-chan struct{}                       { return d.ends }
func (d dying) Err() error                                  { return backend.ErrEnded }

func (d dying) Close() {
	d.asked <- struct{}{}
	<-d.ends
}

func TestAServerCountsUntilItHasEnded(t *testing.T) {
	is := is.New(t)
	d := dying{make(chan struct{}), make(chan struct{})}
	pool := &backend.Pool{Opener: d, Max: 1}
	open := func() (backend.Conn, error) { return pool.Open(func([]byte, string) {}) }
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
