package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
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
	found, err := server.Provide(t.Context(), o, "echo://hello")
	is.NoErr(err)
	is.Equal(*found[0].Text, "hello")
	_, err = server.Provide(t.Context(), o, "nope://hello")
	is.True(errors.Is(err, providers.ErrNotFound))
}

func TestOptionsThatCannotBeMeantAreRefused(t *testing.T) {
	for want, change := range map[string]func(*server.Options){
		"at least 32":            func(o *server.Options) { o.Secret.Token = "short" },
		"the MCP method ping":    func(o *server.Options) { o.Methods = map[string]pipeline.Handler{"ping": nil} },
		`"DB:" is not a scheme`:  func(o *server.Options) { o.Providers = map[string]providers.Provider{"DB:": providers.Echo{}} },
		`that of "db" is nil`:    func(o *server.Options) { o.Providers = map[string]providers.Provider{"db": nil} },
		"guards is not a folder": func(o *server.Options) { o.Folders.Server = "guards" }, // a policy.sh would be missed
	} {
		is := is.New(t)
		o := quiet(t)
		change(&o)
		_, err := server.Open(t.Context(), o)
		is.True(err != nil && strings.HasPrefix(err.Error(), "options: ") && strings.Contains(err.Error(), want))
	}
}

func TestAProviderOfTheProgramIsOneOfTheProjects(t *testing.T) {
	is := is.New(t)
	o := quiet(t)
	for name, text := range map[string]string{
		"resources/a.meta.json": `{"name":"a","uri":"db://a","mimeType":"text/x-a"}`,
		"resources/b.meta.json": `{"name":"b","uri":"other://b","provider":"db"}`,
		"resources/c.meta.json": `{"name":"c","uriTemplate":"third://{c}","provider":"db"}`,
	} {
		path := filepath.Join(o.ProjectRoot, filepath.FromSlash(name))
		is.NoErr(os.MkdirAll(filepath.Dir(path), 0o700))
		is.NoErr(os.WriteFile(path, []byte(text), 0o600))
	}
	said := func(_ context.Context, uri string) ([]providers.Content, error) {
		return []providers.Content{providers.NewContent(uri, "text/plain", []byte("mine"))}, nil
	}
	o.Providers = map[string]providers.Provider{"db": providers.Func(said), "echo": providers.Func(said)}
	srv, err := server.Open(t.Context(), o)
	is.NoErr(err)
	defer srv.Close()
	c := join(t, srv)
	defer c.leave(t)
	for uri, want := range map[string]string{
		"db://a":    `{"uri":"db://a","mimeType":"text/x-a","text":"mine"}`,
		"db://z":    `{"uri":"db://z","mimeType":"text/plain","text":"mine"}`,
		"other://b": `{"uri":"other://b","mimeType":"text/plain","text":"mine"}`,
		"third://c": `{"uri":"third://c","mimeType":"text/plain","text":"mine"}`,
		"echo://x":  `{"uri":"echo://x","mimeType":"text/plain","text":"mine"}`,
	} {
		var got json.RawMessage
		is.NoErr(c.Call(t.Context(), "resources/read", map[string]string{"uri": uri}, &got))
		is.Equal(string(got), `{"contents":[`+want+`]}`)
	}
}
