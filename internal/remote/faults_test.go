package remote_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/remote"
)

// inMemory has the requests of a test answered by a handler without a network, so that time can be that of synctest.
type inMemory http.HandlerFunc

func (h inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w, asked := httptest.NewRecorder(), r.Clone(r.Context())
	if r.Body == nil {
		asked.Body = http.NoBody
	}
	h(w, asked)
	return w.Result(), nil
}

// faked is fake in a bubble of synctest.
func faked(t *testing.T, h http.HandlerFunc) *client {
	t.Helper()
	before := http.DefaultTransport
	http.DefaultTransport = inMemory(h)
	t.Cleanup(func() {
		synctest.Wait()
		http.DefaultTransport = before
	})
	return open(t, remote.Server{URL: "http://far.example/mcp"})
}

func TestAnEventThatWasCutOffIsReadAgain(t *testing.T) {
	is := is.New(t)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "1":
			events(w, "id: 2\ndata: "+answer+"\n\n")
		case r.Method == http.MethodPost && method(w, r) == "tools/call":
			events(w, "retry: 1\nid: 1\ndata:\n\nid: 2\ndata: "+answer[:20])
		}
	})
	is.Equal(c.call(ask), answer)
}

func TestAnEmptyIDTakesTheLastOneBack(t *testing.T) {
	is := is.New(t)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && method(w, r) == "tools/call" {
			events(w, "id: 1\ndata:\n\nid\ndata:\n\n")
		}
	})
	is.True(strings.Contains(c.call(ask), "ended before the answer"))
}

func TestAnEventThatIsTooLongIsNotAskedForAgain(t *testing.T) {
	is := is.New(t)
	long := strings.Repeat("x", 2000)
	lines := strings.Repeat("data: "+long[:600]+"\n", 2)
	for _, event := range []string{"id: 2\ndata: " + long + "\n\n", "id: 2\n" + lines + "\n"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "2":
				events(w, "id: 3\ndata: "+answer+"\n\n")
			case r.Method == http.MethodPost && method(w, r) == "tools/call":
				events(w, "retry: 1\nid: 1\ndata:\n\n"+event)
			}
		}))
		defer s.Close()
		is.Equal(open(t, remote.Server{URL: s.URL, MaxMessage: 1000}).call(ask), answer)
	}
}

func TestANotificationDoesNotEndTheResponseToABatch(t *testing.T) {
	is := is.New(t)
	const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		events(w, "data: "+note+"\n\ndata: "+answer+"\n\n")
	})
	is.Equal(c.call("["+ask+"]"), note)
	is.Equal(c.next(), answer)
}

func TestWhatIsNotTheResponseToACallIsAnErrorForIt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"another id", 200, `{"jsonrpc":"2.0","id":2,"result":{}}`, "something other than"},
		{"a notification", 200, `{"jsonrpc":"2.0","method":"notifications/message"}`, "something other than"},
		{"a request", 200, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "something other than"},
		{"a batch of others", 200, `[{"jsonrpc":"2.0","id":2,"result":{}}]`, "something other than"},
		{"neither", 200, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, "it has both"},
		{"nothing", 200, ``, "parse error"},
		{"OAuth", 401, `{"error":"invalid_token"}`, `HTTP 401 Unauthorized: {\"error\":\"invalid_token\"}; it needs a token`},
		{"an error without an id", 401, `{"jsonrpc":"2.0","error":{"code":-1,"message":"who?"}}`, "it needs a token"},
		{"an object", 500, `{}`, "HTTP 500 Internal Server Error: {}"},
		{"an array", 502, `[]`, "HTTP 502 Bad Gateway: []"},
		{"an empty body", 503, ``, `HTTP 503 Service Unavailable"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			c := fake(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			got := c.call(ask)
			is.True(strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error":{"code":`))
			is.True(strings.Contains(got, tt.want))
		})
	}
}

// gets counts the times at which a client has opened the server's own stream, until the first is missing.
func gets(t *testing.T, count int, h http.HandlerFunc) (times []time.Duration) {
	t.Helper()
	began := time.Now()
	enough := make(chan bool)
	c := faked(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			method(w, r)
			return
		}
		if times = append(times, time.Since(began)); len(times) == count {
			close(enough)
		}
		h(w, r)
	})
	c.call(initialize)
	c.send(ready)
	<-enough
	c.Close()
	synctest.Wait()
	return times
}

func TestTheServersOwnStreamIsTriedAgainInGrowingIntervals(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"unavailable": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"ends":        func(w http.ResponseWriter, _ *http.Request) { events(w, "retry: 1000\n\n") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				is.Equal(fmt.Sprint(gets(t, 9, h)), "[0s 2s 6s 14s 30s 1m2s 2m2s 3m2s 4m2s]")
			})
		})
	}
}

func TestAServerCannotHaveItsStreamOpenedWithoutPause(t *testing.T) {
	for _, retry := range []string{"0", "-5", "1"} {
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			id := 0
			times := gets(t, 11, func(w http.ResponseWriter, _ *http.Request) {
				id++ // it goes on, so that the interval does not grow
				events(w, fmt.Sprintf("id: %d\nretry: %s\ndata:\n\n", id, retry))
			})
			is.True(times[10] >= time.Second)
		})
	}
}

func TestAStreamThatTheServerDoesNotHaveIsNotAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		asked := 0
		c := faked(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				asked++
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			method(w, r)
		})
		c.call(initialize)
		c.send(ready)
		<-time.After(time.Hour)
		synctest.Wait()
		is.Equal(asked, 1)
	})
}

func TestAQuestionOfTheServerIsAnsweredBeforeInitializeIs(t *testing.T) {
	is := is.New(t)
	said := make(chan string)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.Contains(string(text), "initialize") {
			events(w, "data: "+`{"jsonrpc":"2.0","id":"q","method":"ping"}`+"\n\n")
			select {
			case <-said:
			case <-r.Context().Done():
			}
			events(w, "data: "+welcome+"\n\n")
			return
		}
		w.WriteHeader(http.StatusAccepted)
		said <- string(text)
	})
	c.send(initialize)
	is.True(strings.Contains(c.next(), "ping"))
	c.send(`{"jsonrpc":"2.0","id":"q","result":{}}`)
	is.Equal(c.next(), welcome)
}

func TestACancelledCallKeepsNoRequestOpen(t *testing.T) {
	is := is.New(t)
	began, told := make(chan bool), make(chan bool, 1)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch method(w, r) {
		case "tools/call":
			events(w, ": running\n\n")
			began <- true
			<-r.Context().Done()
		case "notifications/cancelled":
			told <- true
		}
	})
	is.Equal(c.call(initialize), welcome)
	c.send(ask)
	<-began
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	is.True(<-told)
	is.NoErr(c.CloseWrite())
	<-c.Done()
}

func TestASecretInTheURLIsNotTold(t *testing.T) {
	is := is.New(t)
	s := remote.Server{URL: "https://ada:secret@mcp.example/a/mcp?key=secret#secret"}
	is.Equal(s.Name(), "https://mcp.example/a/mcp")
	for _, url := range []string{
		"htps://ada:secret@mcp.example/mcp?key=secret", "http://mcp.example:x/?key=secret", "http://ada:secret@mcp.example/mcp",
	} {
		err := remote.Server{URL: url}.Check()
		is.True(err != nil)
		is.True(!strings.Contains(err.Error(), "secret"))
	}
	is.NoErr(remote.Server{URL: "http://ada:secret@localhost/mcp"}.Check())
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://ada:secret@other.example/mcp?key=secret", http.StatusTemporaryRedirect)
	})
	got := c.call(ask)
	is.True(strings.Contains(got, "http://other.example/mcp"))
	is.True(!strings.Contains(got, "secret"))
}
