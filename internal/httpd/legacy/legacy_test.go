package legacy_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/legacy"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func serve(t *testing.T) (url string, h *legacy.Handler) {
	t.Helper()
	srv, err := server.GettingStarted(t.Context(), "For a test.", server.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	h = &legacy.Handler{
		Opener: backend.Project{Server: srv}, Messages: "/messages", MaxBody: 1 << 10, Buffer: 1 << 20,
		KeepAlive: time.Minute, Max: 1, Log: slog.New(slog.DiscardHandler),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/sse", h.Stream)
	mux.HandleFunc("/messages", h.Post)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, h
}

func TestTheOfficialClientIsServedOverSSE(t *testing.T) {
	is := is.New(t)
	url, h := serve(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: url + "/sse"}, &mcp.ClientSessionOptions{ProtocolVersion: "2024-11-05"})
	is.NoErr(err)
	is.Equal(s.InitializeResult().ProtocolVersion, "2024-11-05")
	tools, err := s.ListTools(t.Context(), nil)
	is.NoErr(err)
	is.Equal(tools.Tools[0].Name, "getting_started")
	is.Equal(h.Count(), 1)
	is.NoErr(s.Close())
}

func TestAStreamNamesWhereToPostAndEndsItsSession(t *testing.T) {
	is := is.New(t)
	url, h := serve(t)
	reached := make(chan string, 1)
	h.Overloaded = func(limit string) { reached <- limit }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/sse", nil)
	is.NoErr(err)
	answer, err := http.DefaultClient.Do(r)
	is.NoErr(err)
	defer answer.Body.Close()
	is.Equal(answer.Header.Get("Content-Type"), "text/event-stream")
	lines := bufio.NewScanner(answer.Body)
	lines.Scan()
	is.Equal(lines.Text(), "event: endpoint")
	lines.Scan()
	endpoint, ok := strings.CutPrefix(lines.Text(), "data: /messages?sessionId=")
	is.True(ok)
	is.Equal(get(t, url+"/sse"), http.StatusServiceUnavailable) // Max is 1
	is.Equal(<-reached, "sessions")
	is.Equal(post(t, url+"/messages?sessionId="+endpoint, `{"jsonrpc":"2.0","method":"notifications/initialized"}`), http.StatusAccepted)
	is.Equal(post(t, url+"/messages?sessionId="+endpoint, "{"), http.StatusBadRequest)
	is.Equal(post(t, url+"/messages?sessionId="+endpoint, `{"x":"`+strings.Repeat("x", 1<<10)+`"}`), http.StatusRequestEntityTooLarge)
	is.Equal(post(t, url+"/messages?sessionId=x", "{}"), http.StatusNotFound)
	is.Equal(post(t, url+"/messages", "{}"), http.StatusBadRequest)
	is.Equal(post(t, url+"/sse", "{}"), http.StatusMethodNotAllowed) // from which clients of newer revisions recognise the old transport
	is.Equal(get(t, url+"/messages"), http.StatusMethodNotAllowed)
	cancel()
	for post(t, url+"/messages?sessionId="+endpoint, `{"jsonrpc":"2.0","method":"x"}`) != http.StatusNotFound { // soon
		continue
	}
}

func get(t *testing.T, url string) int {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func post(t *testing.T, url, text string) int {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}
