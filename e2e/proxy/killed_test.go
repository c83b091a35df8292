//go:build unix

package proxy

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// balance serves a load balancer that sends each request to the next replica, and those of a
// session to the replica that its id names. It does not retry, and avoids replicas that did not
// answer.
func balance(t *testing.T, replicas []*replica) (endpoint string) {
	t.Helper()
	var next atomic.Int64
	var gone sync.Map // by address
	choose := func(id string) string {
		for _, r := range replicas {
			if _, dead := gone.Load(r.address); r.name == session.ReplicaOf(id) && !dead {
				return r.address
			}
		}
		for {
			r := replicas[int(next.Add(1))%len(replicas)]
			if _, dead := gone.Load(r.address); !dead {
				return r.address
			}
		}
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: choose(r.In.Header.Get("Mcp-Session-Id"))})
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) {
			if r.Context().Err() == nil {
				gone.Store(r.URL.Host, true)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	})
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// workers is the number of concurrent clients, and quota the number of successful calls of each.
const workers, quota = 12, 90

func TestWhenAReplicaIsKilledAtWorkNoCallIsLostWithoutAnErrorAndNoneRunsTwice(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	c := newCluster(t, tools, "a", "b", "c")
	victim := c.replicas[1]
	url := balance(t, c.replicas)

	// Sessions, at least one of them on the victim.
	sessions := make(map[string]*httpdtest.Guest)
	for range c.replicas {
		g := httpdtest.Visit(t, url, "2025-11-25", nil)
		sessions[session.ReplicaOf(g.ID())] = g
	}
	is.Equal(len(sessions), len(c.replicas))

	// Calls that run when it is killed.
	held := make(chan string, 6)
	for range cap(held) {
		go func() { _, answer := post(t, url, "hold", "{}"); held <- answer }()
	}
	waittest.Until(t, "all calls are held", func() bool { return len(c.lines(t, "held")) == cap(held) })

	// Many calls, a third of which are answered when it is killed.
	var answered atomic.Int64
	third := make(chan struct{})
	ok, failed := make([][]string, workers), make([][]string, workers)
	var working sync.WaitGroup
	for w := range workers {
		working.Go(func() {
			for n := 0; len(ok[w]) < quota; n++ {
				id := fmt.Sprintf("call-%d-%d", w, n)
				if status, answer := post(t, url, "note", `{"id":"`+id+`"}`); status == http.StatusOK && strings.Contains(answer, "done") {
					ok[w] = append(ok[w], id)
				} else {
					failed[w] = append(failed[w], id)
				}
				if answered.Add(1) == workers*quota/3 {
					close(third)
				}
			}
		})
	}
	<-third
	victim.kill()
	is.Equal(victim.left(t), "held\nheld\n") // before anybody lets them go
	working.Wait()

	runs := make(map[string]int)
	for _, id := range c.lines(t, "runs") {
		runs[id]++
	}
	succeeded, errors := 0, 0
	for w := range workers {
		for _, id := range ok[w] {
			succeeded++
			if runs[id] != 1 {
				t.Errorf("%s was answered and has run %d times", id, runs[id])
			}
			delete(runs, id)
		}
		for _, id := range failed[w] {
			errors++
			if runs[id] > 1 {
				t.Errorf("%s has failed and has run %d times", id, runs[id])
			}
			delete(runs, id)
		}
	}
	is.Equal(succeeded, workers*quota)
	is.Equal(len(runs), 0) // nothing has run that nobody called
	if errors > workers {
		t.Errorf("%d calls failed, more than could be at work", errors)
	}
	t.Logf("%d calls were answered, %d failed", succeeded, errors)

	// Calls on the other replicas continue.
	c.leave(t, "go")
	lost, released := 0, 0
	for range cap(held) {
		if strings.Contains(<-held, "released") {
			released++
		} else {
			lost++
		}
	}
	is.Equal(fmt.Sprint(lost, released), "2 4")
	is.Equal(len(c.lines(t, "held")), cap(held)) // nor was one begun again

	// Sessions on the other replicas continue. The client of the victim's session begins another one.
	for name, g := range sessions {
		text, err := g.Call(t.Context(), "note")
		if name != victim.name {
			is.NoErr(err)
			is.Equal(text, "done\n")
			continue
		}
		is.True(err != nil)
		text, err = httpdtest.Visit(t, url, "2025-11-25", nil).Call(t.Context(), "note")
		is.NoErr(err)
		is.Equal(text, "done\n")
	}
}

// post calls a tool and returns the status and body of the response, 0 if there was none.
func post(t *testing.T, url, tool, arguments string) (status int, answer string) {
	t.Helper()
	r, err := http.DefaultClient.Do(request(t, url, tool, arguments))
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err.Error()
	}
	return r.StatusCode, string(body)
}
