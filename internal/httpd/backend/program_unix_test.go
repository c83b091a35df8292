//go:build unix

package backend_test

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// fake returns an opener for the server of TestMain behind the standard chain, which logs to log.
func fake(t *testing.T, log io.Writer, limits server.Limits) backend.ServeFunc {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limits.Message = 1 << 10
	wrapped, err := server.Wrap(t.Context(), server.Wrapping{Command: []string{path}}, server.Options{
		Environ:      append(os.Environ(), "FAKE_SERVER=1"),
		Limits:       limits,
		AdoptOrphans: true,
		Log:          slog.New(slog.NewTextHandler(log, nil)),
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append([]pipeline.Middleware{backend.Causes()}, stages...)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wrapped.Close() })
	return wrapped.Serve
}

// A client is the HTTP side of a connection.
type client struct {
	t *testing.T
	backend.Conn
	lines chan string
}

func dial(t *testing.T, o backend.Opener) *client {
	t.Helper()
	c := &client{t: t, lines: make(chan string, 16)}
	conn, err := o.Open("", func(line []byte, _ string) { c.lines <- string(line) })
	if err != nil {
		t.Fatal(err)
	}
	c.Conn = conn
	t.Cleanup(conn.Close)
	return c
}

// call sends a call and returns the result of the next line.
func (c *client) call(method string) string {
	c.t.Helper()
	c.send(method)
	return string(pipeline.Parse([]byte(<-c.lines)).Result())
}

func (c *client) send(method string) {
	c.t.Helper()
	if err := c.Send(c.t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`)); err != nil {
		c.t.Fatal(err)
	}
}

func TestEachConnectionHasAProcessOfItsOwn(t *testing.T) {
	is := is.New(t)
	o := fake(t, io.Discard, server.Limits{})
	one, other := dial(t, o), dial(t, o)
	is.True(one.call("pid") != other.call("pid"))
	is.Equal(one.call("pid"), one.call("pid"))
}

func TestAProcessEndsWithItsConnectionAndWhatItHasStartedToo(t *testing.T) {
	is := is.New(t)
	c := dial(t, fake(t, io.Discard, server.Limits{}))
	pid := c.call("child")
	c.Close()
	is.True(!running(t, pid))
	is.True(errors.Is(c.Send(t.Context(), []byte(`{}`)), backend.ErrEnded))
}

// running reports whether the process with this id exists.
func running(t *testing.T, pid string) bool {
	t.Helper()
	var id int
	for _, digit := range pid {
		id = id*10 + int(digit-'0')
	}
	p, err := os.FindProcess(id)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

func TestTheEndOfAProcessIsKnownWithItsReason(t *testing.T) {
	is := is.New(t)
	c := dial(t, fake(t, io.Discard, server.Limits{}))
	c.send("exit")
	<-c.Done()
	is.Equal(c.Err().Error(), "the server has ended: exit code 3")
}

func TestWhatAProgramPrintsIsNotToldToItsClients(t *testing.T) {
	is := is.New(t)
	c := dial(t, fake(t, io.Discard, server.Limits{}))
	c.send("exit")
	is.Equal(pipeline.Parse([]byte(<-c.lines)).Fault().Message, "the server has ended: exit code 3")
}

func TestAProgramIsBehindTheStages(t *testing.T) {
	is := is.New(t)
	c := dial(t, fake(t, io.Discard, server.Limits{Requests: 2}))
	is.True(c.call("pid") != "")
	is.Equal(c.call("garbage"), `"done"`) // what is not a message does not come through
	c.send("pid")
	is.True(strings.Contains(<-c.lines, "Too many calls: at most 2 a minute"))
}

func TestAConnectionClosesWhileItsProgramWorks(t *testing.T) {
	is := is.New(t)
	c := dial(t, fake(t, io.Discard, server.Limits{}))
	pid := c.call("pid")
	c.send("hang")
	c.Close()
	is.True(!running(t, pid))
}

func TestALineThatIsTooLongIsLoggedAndDropped(t *testing.T) {
	is := is.New(t)
	var log strings.Builder
	c := dial(t, fake(t, &log, server.Limits{}))
	is.Equal(c.call("long"), `"done"`)
	c.Close()
	is.True(strings.Contains(log.String(), "the line is longer than 1024 bytes"))
}

func TestAPoolLendsAProcessAgainWhenItsRequestWasAnswered(t *testing.T) {
	is := is.New(t)
	pool := &backend.Pool{Opener: fake(t, io.Discard, server.Limits{}), Max: 2, Idle: time.Hour}
	t.Cleanup(pool.Close)
	one := dial(t, pool)
	first := one.call("pid")
	one.Close()
	again, other := dial(t, pool), dial(t, pool)
	is.Equal(again.call("pid"), first)
	is.True(other.call("pid") != first) // one request at a time
	_, err := pool.Open("", func([]byte, string) {})
	is.True(errors.Is(err, backend.ErrPoolFull))
	again.Close()
	is.True(dial(t, pool).call("pid") != "")
}

func TestAProcessWhoseRequestWasNotAnsweredIsNotLentAgain(t *testing.T) {
	is := is.New(t)
	pool := &backend.Pool{Opener: fake(t, io.Discard, server.Limits{}), Max: 1, Idle: time.Hour}
	t.Cleanup(pool.Close)
	one := dial(t, pool)
	first := one.call("pid")
	one.send("hang")
	one.Close() // cancels the request
	is.True(!running(t, first))
	is.True(dial(t, pool).call("pid") != first)
}

func TestAProcessThatHasEndedIsNotLentAgain(t *testing.T) {
	is := is.New(t)
	pool := &backend.Pool{Opener: fake(t, io.Discard, server.Limits{}), Max: 1, Idle: time.Hour}
	t.Cleanup(pool.Close)
	one := dial(t, pool)
	one.send("exit")
	<-one.Done()
	one.Close()
	is.True(dial(t, pool).call("pid") != "")
}

func TestAnIdleProcessIsEnded(t *testing.T) {
	is := is.New(t)
	pool := &backend.Pool{Opener: fake(t, io.Discard, server.Limits{}), Max: 1, Idle: time.Nanosecond}
	one := dial(t, pool)
	pid := one.call("pid")
	one.Close()
	<-one.Done() // by the pool
	is.True(!running(t, pid))
	pool.Close()
	_, err := pool.Open("", func([]byte, string) {})
	is.True(errors.Is(err, backend.ErrEnded))
}
