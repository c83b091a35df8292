package remote_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/internal/remote"
)

// A client speaks with a server over HTTP.
type client struct {
	*remote.Conn
	t   *testing.T
	out *bufio.Reader
}

func open(t *testing.T, s remote.Server) *client {
	t.Helper()
	s.Log = slog.New(slog.DiscardHandler)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	c := &client{Conn: remote.Open(s), t: t}
	c.out = bufio.NewReader(c.Conn)
	t.Cleanup(func() { c.Close() })
	return c
}

// fake opens a conversation with a handler.
func fake(t *testing.T, h http.HandlerFunc) *client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return open(t, remote.Server{URL: s.URL + "/mcp"})
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) next() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func (c *client) call(line string) string {
	c.t.Helper()
	c.send(line)
	return c.next()
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	welcome    = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ask        = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grüße"}}`
	answer     = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

// method returns the method of a posted message, and answers initialize and notifications.
func method(w http.ResponseWriter, r *http.Request) string {
	var m struct{ Method string }
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &m)
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s1")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, welcome)
	case r.Method == http.MethodPost && strings.HasPrefix(m.Method, "notifications/"):
		w.WriteHeader(http.StatusAccepted)
	}
	return m.Method
}

func events(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

func TestAServerMadeWithTheOfficialSDKIsSpokenWithInASession(t *testing.T) {
	is := is.New(t)
	server := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "hello"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: "t", Progress: 1})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "hello"}}}, nil, err
	})
	var deleted sync.WaitGroup
	deleted.Add(1)
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		if r.Method == http.MethodDelete {
			deleted.Done()
		}
	})
	is.True(strings.Contains(c.call(initialize), `"name":"far"`))
	c.send(ready)
	is.True(strings.Contains(c.call(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello","arguments":{},"_meta":{"progressToken":"t"}}}`),
		`"method":"notifications/progress"`))
	is.True(strings.Contains(c.next(), `"text":"hello"`))
	server.AddTool(&sdk.Tool{Name: "new", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	is.True(strings.Contains(c.next(), "tools/list_changed")) // by the stream of the server
	is.NoErr(c.Conn.CloseWrite())
	<-c.Done()
	is.NoErr(c.Err())
	deleted.Wait()
}

func TestRequestsSayWhatTheyAre(t *testing.T) {
	is := is.New(t)
	var got []string
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
			got = append(got, r.Header.Get(name))
		}
		if r.Method == http.MethodPost && method(w, r) == "tools/call" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answer)
		}
	})
	is.Equal(c.call(initialize), welcome)
	is.Equal(c.call(ask), answer)
	is.Equal(strings.Join(got, "|"), "||initialize||s1|2025-11-25|tools/call|=?base64?Z3LDvMOfZQ==?=")
	got = nil
	c.call(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	is.Equal(strings.Join(got[1:], "|"), "2026-07-28|tools/call|a")
}

func TestTheResponseToACallIsReadAgainWhereItEnded(t *testing.T) {
	is := is.New(t)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "7":
			events(w, "data: {\"jsonrpc\":\"2.0\",\ndata:  \"id\":1,\"result\":{}}\n\n")
		case r.Method == http.MethodPost && method(w, r) == "tools/call":
			events(w, ": hello\nretry: 1\nid: 7\ndata:\n\nevent: other\ndata: x\n\n")
		}
	})
	is.Equal(c.call(ask), answer)
}

func TestWhatGoesWrongIsTheAnswerToTheCall(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for want, h := range map[string]http.HandlerFunc{
		"the server answered with HTTP 503 Service Unavailable: come back later": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "come back\nlater", http.StatusServiceUnavailable)
		},
		"it needs a token: --token-file or --token-env": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		},
		"no such thing": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"no such thing"}}`)
		},
		"the response of the server ended before the answer": func(w http.ResponseWriter, _ *http.Request) { events(w, ": nothing\n\n") },
		"a message of the server is longer than 1000 bytes": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"x":%q}}`, long)
		},
		"longer than 1000 bytes": func(w http.ResponseWriter, _ *http.Request) {
			events(w, `data: {"jsonrpc":"2.0","id":1,"result":{"x":"`+long+"\"}}\n\n")
		},
		"if that is right, use this URL": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.example/mcp", http.StatusTemporaryRedirect)
		},
	} {
		t.Run(want, func(t *testing.T) {
			is := is.New(t)
			s := httptest.NewServer(h)
			defer s.Close()
			c := open(t, remote.Server{URL: s.URL, MaxMessage: 1000})
			got := c.call(ask)
			is.True(strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error":{"code":`))
			is.True(strings.Contains(got, want))
		})
	}
	is := is.New(t)
	s := httptest.NewServer(nil)
	s.Close()
	is.True(strings.Contains(open(t, remote.Server{URL: s.URL}).call(ask), "connection refused"))
}

func TestASessionThatTheServerHasEndedIsOver(t *testing.T) {
	is := is.New(t)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && method(w, r) == "tools/call" {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	is.Equal(c.call(initialize), welcome)
	c.send(ask)
	<-c.Done()
	is.Equal(c.Err().Error(), "has ended the session")
	_, err := c.out.ReadByte()
	is.Equal(err, io.EOF)
}

func TestACallWithoutASessionIsCancelledByTheEndOfItsRequest(t *testing.T) {
	is := is.New(t)
	began, ended := make(chan bool), make(chan bool)
	c := fake(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		began <- true
		<-r.Context().Done()
		ended <- true
	})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	<-began
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}`)
	is.True(<-ended)
}

func TestATokenIsReadForEachRequestAndOnlySentWhereNobodyElseReadsIt(t *testing.T) {
	is := is.New(t)
	token := func() (string, error) { return "", errors.New("no token today") }
	for url, want := range map[string]string{
		"http://example.com/mcp": "use https", "ftp://example.com": "is not the URL of a server", "example.com/mcp": "is not the URL of a server",
		"http://127.0.0.1:1/mcp": "", "https://example.com/mcp": "", "http://[::1]/": "", "http://localhost:8080": "",
	} {
		err := remote.Server{URL: url, Token: token}.Check()
		is.True(err == nil && want == "" || err != nil && want != "" && strings.Contains(err.Error(), want))
	}
	is.True(strings.Contains(open(t, remote.Server{URL: "http://127.0.0.1:1", Token: token}).call(ask), "no token today"))
}
