package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/providers"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// quiet returns options for a small project, without a log.
func quiet(t *testing.T) server.Options {
	return server.Options{ProjectRoot: files(t, map[string]string{"tools/x.sh": "#!/bin/sh\n"}), Log: slog.New(slog.DiscardHandler)}
}

func TestWorkOfACustomMethodWaitsForASlot(t *testing.T) {
	is := is.New(t)
	var working, most atomic.Int32
	entered, leave := make(chan struct{}, 10), make(chan struct{})
	end := sync.OnceFunc(func() { close(leave) })
	o := quiet(t)
	o.Limits.Calls = 2
	o.Methods = map[string]pipeline.Handler{
		"example/work": pipeline.Method(func(ctx context.Context, _ struct{}) (bool, error) {
			done, err := pipeline.Work(ctx)
			if err != nil {
				return false, err
			}
			defer done()
			if n := working.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer working.Add(-1)
			entered <- struct{}{}
			<-leave
			return true, nil
		}),
		"example/quick": pipeline.Method(func(context.Context, struct{}) (bool, error) { return true, nil }),
	}
	srv, err := server.Open(t.Context(), o)
	is.NoErr(err)
	defer srv.Close()
	c := join(t, srv)
	defer c.leave(t)
	defer end()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := c.Call(t.Context(), "example/work", nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	<-entered
	<-entered
	is.NoErr(c.Call(t.Context(), "example/quick", nil, nil)) // the others have arrived by now
	is.Equal(int(working.Load()), 2)
	end()
	all.Wait()
	is.Equal(int(most.Load()), 2)
}

func TestACustomMethodCannotReplaceAnMCPMethod(t *testing.T) {
	is := is.New(t)
	for _, name := range []string{"ping", "prompts/get", "tasks/get", "notifications/initialized"} {
		o := quiet(t)
		o.Methods = map[string]pipeline.Handler{name: pipeline.Method(func(context.Context, struct{}) (bool, error) { return true, nil })}
		_, err := server.Open(t.Context(), o)
		is.True(err != nil)
	}
}

func TestSessionsEndWithTheContextOfOpen(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	srv, err := server.Open(ctx, quiet(t))
	is.NoErr(err)
	defer srv.Close()
	c := join(t, srv)
	defer c.Close()
	why := errors.New("why")
	cancel(why)
	is.Equal(<-c.ended, why)
}

func TestAClosedServerReturnsErrClosed(t *testing.T) {
	is := is.New(t)
	srv, err := server.Open(t.Context(), quiet(t))
	is.NoErr(err)
	is.NoErr(srv.Close())
	is.NoErr(srv.Close())
	ours, theirs := net.Pipe()
	is.True(errors.Is(srv.Serve(t.Context(), pipeline.NewNDJSON(ours, ours, 0)), server.ErrClosed))
	_, err = theirs.Read(make([]byte, 1))
	is.True(err != nil) // closed
}

func TestProvideOnlyReadsBuiltInSchemes(t *testing.T) {
	is := is.New(t)
	o := quiet(t)
	found, err := server.Provide(t.Context(), o, "echo", "echo://hello")
	is.NoErr(err)
	is.Equal(*found[0].Text, "hello")
	_, err = server.Provide(t.Context(), o, "nope", "nope://hello")
	is.True(errors.Is(err, providers.ErrNotFound))
}

func TestAShortSecretIsRefused(t *testing.T) {
	is := is.New(t)
	o := quiet(t)
	o.Secret.Token = "short"
	_, err := server.Open(t.Context(), o)
	is.True(err != nil && strings.Contains(err.Error(), "at least 32"))
}
