package server_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Fake time makes a silent client wait only briefly.
func TestAHandshakeIsAnsweredBeforeTheProjectIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var begun, looked atomic.Bool
		at := make(map[string]bool) // whether it had begun when an answer was sent
		o := quiet(t)
		ran := make(chan struct{})
		o.Begin = func() func(context.Context) {
			begun.Store(true)
			return func(context.Context) { close(ran) }
		}
		o.Looked = func(server.Offer) { looked.Store(true) }
		o.Chain = func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append(stages, pipeline.Middleware{
				Name: "watch",
				Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
					answer, err := next(ctx, m)
					at[m.Method()] = begun.Load() || looked.Load()
					return answer, err
				},
			})
		}
		srv, err := server.Open(t.Context(), o)
		is.NoErr(err)
		one := join(t, srv)
		is.NoErr(one.Call(t.Context(), "tools/list", nil, nil))
		<-ran // it began; a server that is closed at once may not get to it
		one.leave(t)
		is.NoErr(srv.Close())
		is.True(!at["initialize"]) // answered first
	})
}

func TestAServerBeginsEvenIfItsClientIsSilent(t *testing.T) {
	is := is.New(t)
	begun := make(chan struct{})
	o := quiet(t)
	o.Begin = func() func(context.Context) { return func(context.Context) { close(begun) } }
	srv, err := server.Open(t.Context(), o)
	is.NoErr(err)
	<-begun
	is.NoErr(srv.Close())
}

func TestAServerThatIsClosedAtOnceBeginsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		o := quiet(t)
		o.Begin = func() func(context.Context) {
			t.Error("begun after its end")
			return func(context.Context) {}
		}
		srv, err := server.Open(t.Context(), o)
		is.NoErr(err)
		is.NoErr(srv.Close())
	})
}

func TestToolsGetVariablesOfTheServerAsItWasWhenItStarted(t *testing.T) {
	is := is.New(t)
	o := server.Options{Log: slog.New(slog.DiscardHandler), ProjectRoot: files(t, map[string]string{
		"VERSION":        "1.0.0\n",
		"tools/which.sh": "#!/bin/sh\nprintf %s \"$MCPBASH_SERVER_VERSION\"\n",
	})}
	srv, err := server.Open(t.Context(), o)
	is.NoErr(err)
	one := join(t, srv)
	version := func() string {
		var result struct{ Content []struct{ Text string } }
		is.NoErr(one.Call(t.Context(), "tools/call", map[string]string{"name": "which"}, &result))
		return result.Content[0].Text
	}
	is.Equal(version(), "1.0.0")
	is.NoErr(os.WriteFile(filepath.Join(o.ProjectRoot, "VERSION"), []byte("2.0.0\n"), 0o600))
	is.Equal(version(), "1.0.0")
	one.leave(t)
	is.NoErr(srv.Close())
}
