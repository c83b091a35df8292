package legacy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"log/slog"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/legacy"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
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
		Opener: backend.ServeFunc(srv.Serve), Messages: "/messages", MaxBody: 1 << 10, Buffer: 1 << 20,
		KeepAlive: time.Minute, Places: limit.NewShares("sessions are open", 1, 1), Log: slog.New(slog.DiscardHandler),
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

// A mute server answers only what a test has it answer.
type mute struct {
	receive backend.Receiver
	got     chan string
	done    chan struct{}
	once    sync.Once
}

func (c *mute) Open(_ string, receive backend.Receiver) (backend.Conn, error) {
	c.receive = receive
	return c, nil
}
func (c *mute) Send(_ context.Context, line []byte) error { c.got <- string(line); return nil }
func (c *mute) Close()                                    { c.once.Do(func() { close(c.done) }) }
func (c *mute) Done() <-chan struct{}                     { return c.done }
func (c *mute) Err() error                                { return backend.ErrEnded }

func TestWhenTheServerEndsAStreamEndsOnceItsCallsAreAnswered(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"a"}`
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	for name, c := range map[string]struct{ sent, answer string }{
		"without a call":        {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		"with a call":           {call, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"with several at once":  {`[` + call + `]`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		"with a cancelled call": {`[` + call + `,` + cancel + `]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			url, h := serve(t)
			server := &mute{got: make(chan string, 1), done: make(chan struct{})}
			ending, end := context.WithCancel(t.Context())
			defer end()
			h.Opener, h.Ending = server, ending
			endpoint, events := begin(t, url)
			is.Equal(post(t, endpoint, c.sent), http.StatusAccepted)
			is.Equal(<-server.got, c.sent)
			end()
			if c.answer != "" {
				server.receive([]byte(c.answer), "")
			}
			is.Equal(strings.Join(events(), "\n"), c.answer)
		})
	}
}

func TestACallThatOutlastsTheGracePeriodIsAnsweredWithTheReason(t *testing.T) {
	is := is.New(t)
	url, h := serve(t)
	server := &mute{got: make(chan string, 1), done: make(chan struct{})}
	ending, end := context.WithCancel(t.Context())
	until, giveUp := context.WithCancelCause(t.Context())
	h.Opener, h.Ending, h.Until = server, ending, until
	endpoint, events := begin(t, url)
	is.Equal(post(t, endpoint, `{"jsonrpc":"2.0","id":"one","method":"a"}`), http.StatusAccepted)
	<-server.got
	end()
	giveUp(errors.New("the server is ending"))
	is.Equal(strings.Join(events(), "\n"), `{"jsonrpc":"2.0","id":"one","error":{"code":-32603,"message":"internal error: the server is ending"}}`)
}

func TestTheCallsOfAUserInAMinuteAreBoundedForAllTheirSessionsTogether(t *testing.T) {
	is := is.New(t)
	url, h := serve(t)
	server := &mute{got: make(chan string, 9), done: make(chan struct{})}
	user := "ada"
	h.Opener, h.Owner, h.Rate = server, func(*http.Request) string { return user }, session.NewRate(2)
	h.Places = limit.NewShares("sessions are open", 3, 3)
	refused := ""
	h.Overloaded = func(limit string) { refused = limit }
	const call, said = `{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","method":"n"}`
	first, _ := begin(t, url)
	second, _ := begin(t, url)
	is.Equal(post(t, first, call), http.StatusAccepted)
	is.Equal(post(t, second, `[`+call+`,`+said+`]`), http.StatusAccepted)
	is.Equal(post(t, first, call), http.StatusTooManyRequests)
	is.Equal(post(t, second, `[`+said+`,`+call+`]`), http.StatusTooManyRequests)
	is.Equal(refused, "calls")
	is.Equal(post(t, first, said), http.StatusAccepted) // it is not a call
	user = "bob"
	third, _ := begin(t, url)
	is.Equal(post(t, third, call), http.StatusAccepted)
}

// begin opens a stream until the test ends. It returns where to post, and a function that waits for the
// end of the stream and returns the data of its other events.
func begin(t *testing.T, url string) (endpoint string, events func() []string) {
	t.Helper()
	answer, err := http.Get(url + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Scan()
	lines.Scan()
	path, _ := strings.CutPrefix(lines.Text(), "data: ")
	return url + path, func() (data []string) {
		t.Helper()
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				data = append(data, text)
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		return data
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
