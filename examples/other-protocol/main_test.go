package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An ide is a client of the server, written with jsonrpc2 alone.
type ide struct {
	*jsonrpc2.Conn
	raw   net.Conn               // to write what jsonrpc2 does not allow
	told  chan *jsonrpc2.Request // the server's notifications
	ended chan error             // the error of the server
}

func start(t *testing.T) ide {
	ours, theirs := net.Pipe()
	c := ide{raw: theirs, told: make(chan *jsonrpc2.Request, 10), ended: make(chan error, 1)}
	go func() {
		c.ended <- serve(context.Background(), pipeline.NewContentLength(ours, ours, maxMessage), slog.New(slog.DiscardHandler))
	}()
	handle := jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		c.told <- r
		return nil, nil
	})
	c.Conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(theirs, jsonrpc2.VSCodeObjectCodec{}), handle, jsonrpc2.SetLogger(quiet{}))
	t.Cleanup(func() { c.Close() })
	return c
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (c ide) open(t *testing.T, uri, text string) {
	t.Helper()
	if err := c.Notify(t.Context(), "textDocument/didOpen", document{TextDocument: struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	}{uri, text}}); err != nil {
		t.Fatal(err)
	}
}

func count(uri, word string) map[string]any {
	return map[string]any{"textDocument": map[string]string{"uri": uri}, "word": word}
}

func TestAnEditorIsServed(t *testing.T) {
	is := is.New(t)
	c := start(t)
	var hello struct{ ServerInfo struct{ Name string } }
	is.NoErr(c.Call(t.Context(), "initialize", map[string]any{}, &hello))
	is.Equal(hello.ServerInfo.Name, "other-protocol")
	c.open(t, "file:///a", "one\n  // TODO: two\n")
	is.Equal(string(*(<-c.told).Params), `{"diagnostics":[{"message":"TODO: two","range":{"end":{"character":14,"line":1},"start":{"character":5,"line":1}}}],"uri":"file:///a"}`)
	is.NoErr(c.Call(t.Context(), "shutdown", nil, nil))
	is.NoErr(c.Notify(t.Context(), "exit", nil))
	is.NoErr(<-c.ended)
}

func TestCallsInFlightGetTheirOwnAnswers(t *testing.T) {
	is := is.New(t)
	c := start(t)
	const calls = 16
	var waiting [calls]jsonrpc2.Waiter
	for i := range calls {
		uri := fmt.Sprintf("file:///%d", i)
		c.open(t, uri, strings.Repeat(fmt.Sprintf("word%d other ", i), 1000+i))
		<-c.told
		var err error
		waiting[i], err = c.DispatchCall(t.Context(), "textDocument/countWord", count(uri, fmt.Sprintf("word%d", i)))
		is.NoErr(err)
	}
	for i := range calls {
		var n int
		is.NoErr(waiting[i].Wait(t.Context(), &n))
		is.Equal(n, 1000+i) // of its own text
	}
}

func TestAMalformedBodyCostsOnlyItself(t *testing.T) {
	is := is.New(t)
	c := start(t)
	c.open(t, "file:///a", "a b a")
	<-c.told
	var n int
	// jsonrpc2 takes the null id of a parse error for its own call 0, which must have ended by then.
	is.NoErr(c.Call(t.Context(), "textDocument/countWord", count("file:///a", "b"), &n))
	before, err := c.DispatchCall(t.Context(), "textDocument/countWord", count("file:///a", "a"))
	is.NoErr(err)
	body := `{"jsonrpc":"2.0","id":7,` + strings.Repeat("x", 10_000)
	_, err = fmt.Fprintf(c.raw, "Content-Length: %d\r\n\r\n%s", len(body), body)
	is.NoErr(err)
	is.NoErr(c.Call(t.Context(), "textDocument/countWord", count("file:///a", "b"), &n))
	is.Equal(n, 1) // behind it
	is.NoErr(before.Wait(t.Context(), &n))
	is.Equal(n, 2) // and before it
}

func TestAMalformedBodyIsAnsweredOnce(t *testing.T) {
	is := is.New(t)
	var out strings.Builder
	in := strings.NewReader("Content-Length: 3\r\n\r\n{x}")
	is.NoErr(serve(t.Context(), pipeline.NewContentLength(in, &out, maxMessage), slog.New(slog.DiscardHandler)))
	head, body, _ := strings.Cut(out.String(), "\r\n\r\n")
	is.Equal(head, fmt.Sprintf("Content-Length: %d", len(body))) // one message
	is.True(strings.HasPrefix(body, `{"jsonrpc":"2.0","error":{"code":-32700,`))
}

func TestAnUnknownDocumentIsRefused(t *testing.T) {
	is := is.New(t)
	c := start(t)
	var fault *jsonrpc2.Error
	is.True(errors.As(c.Call(t.Context(), "textDocument/countWord", count("file:///b", "x"), nil), &fault))
	is.Equal(fault.Message, "file:///b is not open")
}
