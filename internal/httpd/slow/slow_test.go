package slow_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/slow"
)

const patience = time.Minute

// pipes is a listener whose connections are in memory, so that tests have their own time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// each runs a test with HTTP/1.1 and with HTTP/2, in its own time.
func each(t *testing.T, h http.HandlerFunc, test func(is *is.I, s *httptest.Server, client *http.Client)) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
				s := httptest.NewUnstartedServer(slow.Handler(patience, h))
				_ = s.Listener.Close()
				s.Listener = p
				s.EnableHTTP2 = version == "HTTP/2.0"
				if s.EnableHTTP2 {
					s.StartTLS()
				} else {
					s.Start()
				}
				defer s.Close()
				client := s.Client()
				client.Transport.(*http.Transport).DialContext = p.dial
				defer client.CloseIdleConnections()
				test(is.New(t), s, client)
			})
		})
	}
}

func TestARequestWhoseBodyDoesNotComeEnds(t *testing.T) {
	var failed chan error
	each(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		failed <- err
	}, func(is *is.I, s *httptest.Server, client *http.Client) {
		failed = make(chan error, 1)
		began := time.Now()
		sent, send := io.Pipe()
		go func() {
			_, _ = io.WriteString(send, "half")
			<-time.After(patience / 2)
			_, _ = io.WriteString(send, "of")
		}()
		r, err := client.Post(s.URL, "text/plain", sent)
		if err == nil {
			r.Body.Close()
		}
		is.True(<-failed != nil)
		is.Equal(time.Since(began), patience*3/2) // since the last byte
		_ = sent.Close()
	})
}

func TestAConnectionEndsWithABodyOfWhichTheRestDoesNotCome(t *testing.T) {
	const end = "HTTP/1.1 400 Bad Request\r\n"
	for name, answer := range map[string]http.HandlerFunc{
		"read": func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			_, again := r.Body.Read(make([]byte, 1)) // nor does it wait once more
			if err != nil && again != nil {
				w.WriteHeader(http.StatusBadRequest)
			}
		},
		"read in part": func(w http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 1))
			w.WriteHeader(http.StatusBadRequest)
		},
		"not read": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"answered with a stream": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			w.WriteHeader(http.StatusBadRequest)
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "event\n")
		},
	} {
		for kind, head := range map[string]string{"of a known length": "Content-Length: 9\r\n\r\n{", "in chunks": "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					is := is.New(t)
					p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
					s := &http.Server{Handler: slow.Handler(patience, answer)}
					defer s.Close()
					go func() { _ = s.Serve(p) }()
					conn, err := p.dial(t.Context(), "", "")
					is.NoErr(err)
					defer conn.Close()
					began := time.Now()
					_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\n"+head)
					is.NoErr(err)
					is.NoErr(conn.SetReadDeadline(began.Add(time.Hour))) // the test fails instead of hanging
					all, err := io.ReadAll(conn)
					is.NoErr(err) // it was closed
					is.True(strings.HasPrefix(string(all), end))
					is.True(time.Since(began) <= 2*patience)
				})
			})
		}
	}
}

func TestAResponseThatIsNotReadEnds(t *testing.T) {
	var failed chan error
	each(t, func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 8<<20))
		failed <- err
	}, func(is *is.I, s *httptest.Server, client *http.Client) {
		failed = make(chan error, 1)
		began := time.Now()
		r, err := client.Get(s.URL)
		is.NoErr(err)
		<-time.After(patience / 2)
		_, err = io.ReadFull(r.Body, make([]byte, 1<<20))
		is.NoErr(err)
		is.True(<-failed != nil)
		is.Equal(time.Since(began), patience*3/2) // since it was last read
		r.Body.Close()
	})
}

func TestAStreamMayBeQuietForLongerThanAClientMayTake(t *testing.T) {
	each(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		for range 3 {
			_, _ = io.WriteString(w, "event\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(2 * patience):
			case <-r.Context().Done():
				return
			}
		}
	}, func(is *is.I, s *httptest.Server, client *http.Client) {
		r, err := client.Post(s.URL, "text/plain", strings.NewReader("a body"))
		is.NoErr(err)
		lines := bufio.NewScanner(r.Body)
		for range 3 {
			is.True(lines.Scan())
			is.Equal(lines.Text(), "event")
		}
		is.True(!lines.Scan())
		is.NoErr(lines.Err()) // it has its proper end
		r.Body.Close()
	})
}

func TestABodyThatNobodyReadsDoesNotHoldUpTheResponse(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a short response": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"a stream": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "event\n")
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, answer, func(is *is.I, s *httptest.Server, client *http.Client) {
				began := time.Now()
				sent, send := io.Pipe()
				r, err := client.Post(s.URL, "text/plain", sent)
				is.NoErr(err)
				is.True(time.Since(began) <= patience)
				_ = send.Close()
				r.Body.Close()
			})
		})
	}
}

func TestABodyThatNobodyWantsIsNotAskedFor(t *testing.T) {
	each(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}, func(is *is.I, s *httptest.Server, client *http.Client) {
		client.Transport.(*http.Transport).ExpectContinueTimeout = time.Hour
		asked := false
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{Got100Continue: func() { asked = true }})
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader("a body"))
		is.NoErr(err)
		q.Header.Set("Expect", "100-continue")
		r, err := client.Do(q)
		is.NoErr(err)
		r.Body.Close()
		is.Equal(r.StatusCode, http.StatusForbidden)
		is.True(!asked)
	})
}
