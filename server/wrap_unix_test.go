//go:build unix

package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// The server is a shell script. What it prints besides its answer does not reach the client.
func ExampleWrap() {
	ctx := context.Background()
	script := `echo starting; read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; cat >/dev/null`
	wrapped, err := server.Wrap(ctx, server.Wrapping{Command: []string{"sh", "-c", script}},
		server.Options{Environ: os.Environ(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer wrapped.Close()
	in := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"))
	if err := wrapped.Serve(ctx, pipeline.NewNDJSON(in, os.Stdout, 0)); err != nil {
		fmt.Println(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

// wrapped returns a shell script as a wrapped server.
func wrapped(t *testing.T, script string, w server.Wrapping, o server.Options) *server.Wrapped {
	t.Helper()
	w.Command = []string{"sh", "-c", script}
	o.Environ, o.Log = os.Environ(), slog.New(slog.DiscardHandler)
	s, err := server.Wrap(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// converse serves a client that writes these lines, and returns what it got.
func converse(t *testing.T, s *server.Wrapped, lines string) string {
	t.Helper()
	var out strings.Builder
	if err := s.Serve(t.Context(), pipeline.NewNDJSON(io.NopCloser(strings.NewReader(lines)), &out, 0)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const called = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n"

func TestAWrappedServerIsStartedForEachClientAndHasTheStagesOfItsOptions(t *testing.T) {
	is := is.New(t)
	s := wrapped(t, `while read -r line; do id=${line#*id\":}; echo '{"jsonrpc":"2.0","id":'"${id%%,*}"',"result":{"pid":'$$'}}'; done`,
		server.Wrapping{}, server.Options{Limits: server.Limits{Requests: 1}})
	one, other := converse(t, s, called), converse(t, s, called)
	is.True(strings.Contains(one, `"pid"`) && strings.Contains(other, `"pid"`) && one != other)
	both := called + strings.Replace(called, `"id":1`, `"id":2`, 1)
	is.True(strings.Contains(converse(t, s, both), "Too many calls"))
	is.True(!strings.Contains(converse(t, s.Uncounted(), both), "Too many calls"))
}

func TestACallThatIsNeverAnsweredEndsSoonAfterItsClientHasLeft(t *testing.T) {
	is := is.New(t)
	s := wrapped(t, `cat >/dev/null`, server.Wrapping{}, server.Options{Limits: server.Limits{ToolTimeout: time.Millisecond}})
	is.True(strings.Contains(converse(t, s, called), `"id":1,"error":{"code":-32603,"message":"the server did not answer in time`))
}

func TestInterceptorsOfALibraryNeedNoFolderOfItsOwn(t *testing.T) {
	is := is.New(t)
	t.Setenv("TMPDIR", t.TempDir())
	dir := files(t, map[string]string{"no/no.meta.json": `{"type":"validation","jq":"false",` +
		`"hooks":[{"events":["tools/call"],"phase":"request"}],"description":"not today"}`})
	s := wrapped(t, `cat >/dev/null`, server.Wrapping{Interceptors: dir}, server.Options{})
	is.True(strings.Contains(converse(t, s, called), "refused by no: not today"))
	is.NoErr(s.Close())
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	is.NoErr(err)
	is.Equal(len(left), 0)
}

func TestInterceptorsTellTheSessionsOfAWrappedServerApart(t *testing.T) {
	is := is.New(t)
	dir := files(t, map[string]string{"tells/tells.meta.json": `{"type":"validation","jq":"$context.sessionId",` +
		`"hooks":[{"events":["tools/call"],"phase":"request"}]}`})
	s := wrapped(t, `cat >/dev/null`, server.Wrapping{Interceptors: dir}, server.Options{})
	one := converse(t, s, called)
	is.True(strings.Contains(one, "refused by tells: "))
	is.True(one != converse(t, s, called))
}

func TestCloseEndsTheSessionsOfAWrappedServer(t *testing.T) {
	is := is.New(t)
	s := wrapped(t, `echo '{"jsonrpc":"2.0","method":"hello"}'; trap "" TERM; while :; do sleep 1; done`, server.Wrapping{}, server.Options{})
	in, client := io.Pipe()
	defer client.Close()
	said, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), pipeline.NewNDJSON(in, out, 0)) }()
	_, err := said.Read(make([]byte, 64))
	is.NoErr(err)
	go io.Copy(io.Discard, said)
	is.NoErr(s.Close())
	is.True(errors.Is(<-ended, context.Canceled))
	var nobody jsonrpc2.ObjectStream = pipeline.NewNDJSON(in, out, 0)
	is.Equal(s.Serve(t.Context(), nobody), server.ErrClosed)
}

func TestWhatCannotBeWrappedIsAnError(t *testing.T) {
	for want, w := range map[string]server.Wrapping{
		"set one of Command and URL":                 {},
		"ContentLength is for a Command":             {URL: "https://example.com/mcp", ContentLength: true},
		"Token is for a URL":                         {Command: []string{"sh"}, Token: func() (string, error) { return "", nil }},
		"no-such-program-anywhere cannot be started": {Command: []string{"no-such-program-anywhere"}},
		`"[" is not the name of a tool`:              {Command: []string{"sh"}, Deny: []string{"["}},
		"interceptors: no interceptors in":           {Command: []string{"sh"}, Interceptors: t.TempDir()},
		"pins: open /dev/null/pins":                  {Command: []string{"sh"}, Pins: "/dev/null/pins"},
	} {
		is := is.New(t)
		_, err := server.Wrap(t.Context(), w, server.Options{Environ: os.Environ()})
		is.True(err != nil && strings.Contains(err.Error(), want))
	}
}
