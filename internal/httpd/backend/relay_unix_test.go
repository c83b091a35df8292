//go:build unix

package backend_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// behindStages is an opener of the fake server behind the standard chain.
func behindStages(t *testing.T, s middleware.Settings) backend.Relay {
	s.Dialect = pipeline.MCP
	s.Dialect.Relayed = true
	s.Trip.Never = true
	s.Log = slog.New(slog.DiscardHandler)
	return backend.Relay{
		Opener: fake(t, io.Discard), Dialect: s.Dialect, Log: s.Log,
		Stages: func() []pipeline.Middleware { return middleware.Standard(s) },
	}
}

func TestAProgramIsBehindTheStages(t *testing.T) {
	is := is.New(t)
	c := dial(t, behindStages(t, middleware.Settings{Rates: middleware.Rates{Calls: 2}}))
	is.True(c.call("pid") != "")
	is.Equal(c.call("garbage"), `"done"`) // what is no message does not come through
	c.send("pid")
	is.True(strings.Contains(<-c.lines, "Too many calls: at most 2 a minute"))
}

func TestTheEndOfAProgramIsThatOfItsConnection(t *testing.T) {
	is := is.New(t)
	c := dial(t, behindStages(t, middleware.Settings{}))
	c.send("exit")
	is.True(strings.Contains(<-c.lines, "exit code 3")) // the call that it leaves behind
	<-c.Done()
	is.Equal(c.Err().Error(), "the server has ended: exit code 3")
}

func TestAConnectionClosesWhileItsProgramWorks(t *testing.T) {
	is := is.New(t)
	c := dial(t, behindStages(t, middleware.Settings{}))
	pid := c.call("pid")
	c.send("hang")
	c.Close()
	<-c.Done()
	is.True(pid != "")
}
