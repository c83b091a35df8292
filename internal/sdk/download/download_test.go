package download

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
)

// A site is a server on this machine that stands for one of the public internet.
type site struct {
	*httptest.Server
	policy Policy
	d      dialing
	out    string
	asked  atomic.Int32
}

func newSite(t *testing.T, handler func(*site, http.ResponseWriter, *http.Request)) *site {
	t.Helper()
	s := &site{out: filepath.Join(t.TempDir(), "file")}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		handler(s, w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that hang up are what is tested
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	s.d = dialing{
		control: func(string, string, syscall.RawConn) error { return nil },
		tls:     &tls.Config{RootCAs: roots},
	}
	s.policy.Allow = []string{"127.0.0.1:" + s.port()}
	return s
}

func (s *site) port() string {
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return port
}

// get fetches a path and says what came of it.
func (s *site) get(path string, r Request) string {
	r.URL, r.Out = s.URL+path, s.out
	n, err := s.policy.fetch(context.Background(), r, s.d)
	return told(n, err)
}

func told(n int64, err error) string {
	var e *Error
	if errors.As(err, &e) {
		return strings.TrimSpace(e.Type + ": " + e.Message + " " + e.Location)
	}
	if err != nil {
		return "no *Error: " + err.Error()
	}
	return fmt.Sprint(n, " bytes")
}

func (s *site) file() string {
	b, err := os.ReadFile(s.out)
	if err != nil {
		return "none"
	}
	return string(b)
}

func TestAFileIsFetched(t *testing.T) {
	is := is.New(t)
	agent := ""
	s := newSite(t, func(_ *site, w http.ResponseWriter, r *http.Request) {
		agent = r.UserAgent()
		fmt.Fprint(w, "hello")
	})
	is.Equal(s.get("/a", Request{UserAgent: "me/1"}), "5 bytes")
	is.Equal(s.file(), "hello")
	is.Equal(agent, "me/1")
	left, err := os.ReadDir(filepath.Dir(s.out))
	is.NoErr(err)
	is.Equal(len(left), 1) // and nothing lies beside it
}

func TestATooLongFileIsNotKept(t *testing.T) {
	is := is.New(t)
	s := newSite(t, func(_ *site, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/told" {
			w.Header().Set("Content-Length", "6")
		}
		fmt.Fprint(w, "hel")
		w.(http.Flusher).Flush()
		fmt.Fprint(w, "lo!")
	})
	is.NoErr(os.WriteFile(s.out, []byte("old"), 0o600))
	for _, path := range []string{"/told", "/untold"} {
		is.Equal(s.get(path, Request{MaxBytes: 5}), "size_exceeded: the file is larger than 5 bytes")
		is.Equal(s.file(), "old") // what was there is still there
	}
	left, err := os.ReadDir(filepath.Dir(s.out))
	is.NoErr(err)
	is.Equal(len(left), 1) // and nothing lies beside it
	is.Equal(s.get("/told", Request{MaxBytes: 6}), "6 bytes")
	is.Equal(s.file(), "hello!") // now it is replaced
}

func TestRedirectsAreToldNotFollowed(t *testing.T) {
	is := is.New(t)
	s := newSite(t, func(_ *site, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/other?x=1", http.StatusFound)
	})
	is.Equal(s.get("/a", Request{Retries: 3}), "redirect: the server redirects (302 Found); ask for the new location if you trust it "+s.URL+"/other?x=1")
	is.Equal(s.asked.Load(), int32(1)) // once
	is.Equal(s.file(), "none")
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	is := is.New(t)
	s := newSite(t, func(s *site, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/gone":
			http.NotFound(w, r)
		case s.asked.Load() < 3:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			fmt.Fprint(w, "at last")
		}
	})
	is.Equal(s.get("/", Request{Retries: 1, RetryDelay: time.Millisecond}), "network_error: the server answers 503 Service Unavailable")
	is.Equal(s.asked.Load(), int32(2))
	is.Equal(s.get("/", Request{Retries: 1, RetryDelay: time.Millisecond}), "7 bytes")
	s.asked.Store(0)
	is.Equal(s.get("/gone", Request{Retries: 5}), "network_error: the server answers 404 Not Found")
	is.Equal(s.asked.Load(), int32(1)) // that will not change
}

func TestASlowServerIsLeft(t *testing.T) {
	is := is.New(t)
	release := make(chan bool)
	s := newSite(t, func(_ *site, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			fmt.Fprint(w, "x")
			w.(http.Flusher).Flush()
		}
		<-release
	})
	defer close(release)
	for _, path := range []string{"/", "/half"} {
		is.Equal(s.get(path, Request{Timeout: 50 * time.Millisecond}), "network_error: the server took too long")
	}
	is.Equal(s.file(), "none")
}

func TestACertificateThatNobodyKnowsIsRefused(t *testing.T) {
	is := is.New(t)
	s := newSite(t, func(*site, http.ResponseWriter, *http.Request) {})
	s.d.tls = nil
	said := s.get("/", Request{Retries: 3, RetryDelay: time.Hour})
	is.True(strings.Contains(said, "network_error: ") && strings.Contains(said, "x509")) // and not tried again
}

func TestAFileThatCannotBeWrittenIsTold(t *testing.T) {
	is := is.New(t)
	s := newSite(t, func(_ *site, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") })
	s.out = filepath.Join(s.out, "no", "such", "folder")
	is.True(strings.HasPrefix(s.get("/", Request{}), "write_error: "))
	s.out = t.TempDir()
	is.True(strings.HasPrefix(s.get("/", Request{}), "write_error: ")) // a folder is no file
}

func TestThisMachineIsNeverAsked(t *testing.T) {
	is := is.New(t)
	s := newSite(t, func(*site, http.ResponseWriter, *http.Request) {})
	s.d.control = nil // the real one
	is.Equal(s.get("/", Request{Retries: 3, RetryDelay: time.Hour}), "host_blocked: 127.0.0.1:"+s.port()+" is not an address of the public internet")
	s.policy.AllowAll = true
	s.URL = "https://localhost:" + s.port()
	is.True(strings.HasPrefix(s.get("/", Request{}), "host_blocked: ")) // by whatever name
	is.Equal(s.asked.Load(), int32(0))
}

func TestURLs(t *testing.T) {
	p := Policy{Allow: []string{"Example.com", "*.cdn.org", "a.org:8443"}, Deny: []string{"bad.cdn.org"}}
	for _, test := range []struct{ url, want string }{
		{"", "invalid_url: --url is required"},
		{"http://example.com/", "invalid_url: URL must use https://"},
		{"file:///etc/passwd", "invalid_url: URL must use https://"},
		{"https:///x", "invalid_url: URL has no host"},
		{"https://u:p@example.com/", "invalid_url: URL must not contain a user name or password"},
		{"https://example.com@evil.org/", "invalid_url: URL must not contain a user name or password"},
		{"https://evil.org/", "host_blocked: evil.org is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"},
		{"https://example.com.evil.org/", "host_blocked: example.com.evil.org is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"},
		{"https://notexample.com/", "host_blocked: notexample.com is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"},
		{"https://cdn.org/", "host_blocked: cdn.org is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"},
		{"https://example.com:22/", "host_blocked: example.com:22 is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"},
		{"https://a.org/", "host_blocked: a.org is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"},
		{"https://bad.cdn.org/", "host_blocked: bad.cdn.org is on a deny list"},
		{"https://bad.cdn.org:8443/", "host_blocked: bad.cdn.org:8443 is on a deny list"},
		{"https://denied.cdn.org/", "host_blocked: denied.cdn.org is on a deny list"},
		{"https://example.com/", "ok"},
		{"https://EXAMPLE.com.:443/", "ok"},
		{"https://x.y.cdn.org/", "ok"},
		{"https://a.org:8443/", "ok"},
		{"https://asked.org/", "ok"},
	} {
		t.Run(test.url, func(t *testing.T) {
			is := is.New(t)
			got := "ok"
			if _, err := p.check(Request{URL: test.url, Allow: []string{"asked.org"}, Deny: []string{"denied.cdn.org"}}); err != nil {
				got = told(0, err)
			}
			is.Equal(got, test.want)
		})
	}
	is := is.New(t)
	_, err := Policy{AllowAll: true}.check(Request{URL: "https://any.org/"})
	is.NoErr(err)
	_, err = Policy{AllowAll: true, Deny: []string{"any.org"}}.check(Request{URL: "https://any.org/", Allow: []string{"any.org"}})
	is.True(err != nil) // a denial is stronger
	_, err = Policy{AllowAll: true}.Fetch(t.Context(), Request{URL: "https://any.org/"})
	is.Equal(told(0, err), "invalid_params: --out is required")
}

func TestAddresses(t *testing.T) {
	for address, public := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "2606:4700:4700::1111": true, "::ffff:8.8.8.8": true, "100.63.0.1": true, "172.32.0.1": true,
		"127.0.0.1": false, "127.9.9.9": false, "0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "100.100.100.200": false, "100.127.255.255": false, "192.0.0.8": false, "198.18.0.1": false,
		"224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false, "192.0.2.1": false, "198.51.100.1": false, "203.0.113.1": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::7f00:1": false, "::ffff:0:7f00:1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::808:808": false, "64:ff9b:1::1": false, "2002:7f00:1::": false, "2001:0:1::": false, "2001:db8::1": false,
		"fc00::1": false, "fd12::1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false, "100::1": false,
	} {
		t.Run(address, func(t *testing.T) {
			is := is.New(t)
			is.Equal(isPublic(netip.MustParseAddr(address)), public)
		})
	}
	is := is.New(t)
	is.True(control("tcp", "nonsense", nil) != nil) // what cannot be read is not public
}
