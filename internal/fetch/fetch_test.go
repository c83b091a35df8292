package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestADownloadIsWhatTheServerSent(t *testing.T) {
	is := is.New(t)
	url, o := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/x-probe")
		fmt.Fprintf(w, "%s %s %s\x00\xff", r.Method, r.URL, r.UserAgent())
	})
	got, err := Get(t.Context(), o, url+"/a%20b?q=1#part")
	is.NoErr(err)
	is.Equal(string(got.Body), "GET /a%20b?q=1 mcp-bash\x00\xff")
	is.Equal(got.ContentType, "text/x-probe")
	o.UserAgent = "probe/1"
	got, err = Get(t.Context(), o, url)
	is.NoErr(err)
	is.Equal(string(got.Body), "GET / probe/1\x00\xff")
}

func TestNoCompressedBodyIsAskedFor(t *testing.T) {
	is := is.New(t)
	url, o := site(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header["Accept-Encoding"]) })
	got, err := Get(t.Context(), o, url)
	is.NoErr(err)
	is.Equal(string(got.Body), "[]") // a small body could expand to a large one
}

func TestAnEmptyDownloadIsNotNil(t *testing.T) {
	is := is.New(t)
	url, o := site(t, func(http.ResponseWriter, *http.Request) {})
	got, err := Get(t.Context(), o, url)
	is.NoErr(err)
	is.True(got.Body != nil)
	is.Equal(len(got.Body), 0)
}

func TestNoHostIsAllowedUnlessItIsNamed(t *testing.T) {
	is := is.New(t)
	called := false
	url, o := site(t, func(http.ResponseWriter, *http.Request) { called = true })
	o.Hosts = Hosts{}
	_, err := Get(t.Context(), o, url)
	is.True(errors.Is(err, ErrHost))
	is.Equal(err.Error(), "host not allowed: "+strings.TrimPrefix(url, "https://")+" is not on the allow list")
	is.True(!called) // the server is not asked
}

func TestAnAllowedHostWithAPrivateAddressIsRefusedAfterDNS(t *testing.T) {
	for _, addresses := range []string{
		"127.0.0.1", "10.1.2.3", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1", "fd00::1", "fe80::1",
		"::ffff:127.0.0.1", "64:ff9b::7f00:1", "192.168.0.1,10.0.0.1", "::", "2002:7f00:1::",
	} {
		is := is.New(t)
		called := false
		url, o := site(t, func(http.ResponseWriter, *http.Request) { called = true })
		o.network.public = nil
		o.network.resolver = names(map[string]string{"rebind.example.com": addresses})
		_, err := Get(t.Context(), o, strings.Replace(url, "127.0.0.1", "rebind.example.com", 1))
		is.True(errors.Is(err, ErrAddress)) // what the name resolved to
		is.Equal(err.Error(), "address not public: rebind.example.com is in a private network or on this machine")
		is.True(!called)
		_, err = network{resolver: o.network.resolver}.resolve(t.Context(), "rebind.example.com")
		is.True(errors.Is(err, ErrAddress)) // Resolve agrees
	}
}

func TestAPrivateAddressIsRefusedWithoutDNS(t *testing.T) {
	is := is.New(t)
	url, _ := site(t, says("secret"))
	_, err := Get(t.Context(), Options{Hosts: Hosts{AllowAll: true}}, url)
	is.True(errors.Is(err, ErrAddress))
	_, err = Resolve(t.Context(), "127.0.0.1")
	is.True(errors.Is(err, ErrAddress))
	_, err = Resolve(t.Context(), "localhost")
	is.True(errors.Is(err, ErrAddress))
}

func TestANameIsLookedUpAndItsCertificateIsChecked(t *testing.T) {
	is := is.New(t)
	url, o := site(t, says("hello"))
	o.network.resolver = names(map[string]string{"example.com": "127.0.0.1", "other.test": "127.0.0.1"})
	port := url[strings.LastIndex(url, ":"):]
	got, err := Get(t.Context(), o, "https://EXAMPLE.com."+port)
	is.NoErr(err)
	is.Equal(string(got.Body), "hello")
	_, err = Get(t.Context(), o, "https://other.test"+port)
	is.True(isNetwork(err)) // the certificate is for another name
	o.network.roots = x509.NewCertPool()
	_, err = Get(t.Context(), o, "https://example.com"+port)
	is.True(isNetwork(err)) // not signed by a trusted authority
	_, err = Get(t.Context(), o, "https://nowhere.test"+port)
	is.Equal(fmt.Sprint(err), "cannot download from nowhere.test: no such host")
}

func isNetwork(err error) bool {
	var e *NetworkError
	return errors.As(err, &e)
}

func TestTemporaryErrorsAreDistinguishedFromLastingOnes(t *testing.T) {
	is := is.New(t)
	url, o := site(t, says("hello"))
	port := url[strings.LastIndex(url, ":"):]
	o.network.resolver = names(map[string]string{"other.test": "127.0.0.1", "closed.test": "127.0.0.1"})
	for url, passing := range map[string]bool{
		"https://closed.test:1":      true,
		"https://nowhere.test":       false,
		"https://other.test" + port:  false, // a certificate of another name
		"http://other.test" + port:   false,
		"https://nowhere.test.:port": false,
	} {
		_, err := Get(t.Context(), o, url)
		is.True(err != nil)
		is.Equal(Passing(err), passing)
	}
	for status, passing := range map[int]bool{404: false, 401: false, 408: true, 429: true, 500: true, 503: true} {
		is.Equal(Passing(&StatusError{Status: status}), passing)
	}
	is.True(!Passing(&RedirectError{}))
	is.True(!Passing(nil))
}

func TestARedirectIsReportedNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		is := is.New(t)
		calls := 0
		url, o := site(t, func(w http.ResponseWriter, r *http.Request) {
			calls++
			http.Redirect(w, r, "/elsewhere?a=b", status)
		})
		_, err := Get(t.Context(), o, url+"/here")
		var redirect *RedirectError
		is.True(errors.As(err, &redirect))
		is.Equal(redirect.Location, url+"/elsewhere?a=b") // absolute
		is.Equal(redirect.Status, status)
		is.Equal(calls, 1)
	}
}

func TestAStatusOtherThan200IsAnError(t *testing.T) {
	for _, status := range []int{204, 206, 304, 400, 401, 404, 410, 500, 503} {
		is := is.New(t)
		url, o := site(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		_, err := Get(t.Context(), o, url)
		var failed *StatusError
		is.True(errors.As(err, &failed))
		is.Equal(failed.Status, status)
		is.Equal(err.Error(), "127.0.0.1 answered with status "+strconv.Itoa(status))
	}
}

func TestADownloadEndsAtItsLimit(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		for block := make([]byte, 32<<10); r.Context().Err() == nil; {
			w.Write(block)
		}
	}
	exact := func(n int, announced bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if announced {
				w.Header().Set("Content-Length", strconv.Itoa(n))
			} else {
				w.(http.Flusher).Flush()
			}
			w.Write(make([]byte, n))
		}
	}
	for _, c := range []struct {
		name string
		h    http.HandlerFunc
		fits bool
	}{
		{"as many as the limit", exact(1000, true), true},
		{"as many, unannounced", exact(1000, false), true},
		{"one more", exact(1001, true), false},
		{"one more, unannounced", exact(1001, false), false},
		{"endless", endless, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			url, o := site(t, c.h)
			o.MaxBytes = 1000
			got, err := Get(t.Context(), o, url)
			is.Equal(errors.Is(err, ErrTooLarge), !c.fits)
			is.Equal(len(got.Body) == 1000, c.fits)
			is.Equal(err != nil && strings.Contains(err.Error(), "it has 1001 bytes"), c.name == "one more") // refused before it is read
		})
	}
}

func TestATruncatedBodyIsAnError(t *testing.T) {
	is := is.New(t)
	url, o := site(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Write([]byte("half"))
	})
	_, err := Get(t.Context(), o, url)
	is.True(isNetwork(err))
}

func TestASlowServerIsGivenUp(t *testing.T) {
	for _, first := range []string{"", "some"} {
		is := is.New(t)
		url, o := site(t, func(w http.ResponseWriter, r *http.Request) {
			if first != "" {
				w.Write([]byte(first))
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		o.Timeout = 50 * time.Millisecond
		_, err := Get(t.Context(), o, url)
		is.True(isNetwork(err))
		is.Equal(err.Error(), "cannot download from 127.0.0.1: no complete response within 50ms")
	}
}

func TestTheCallersCauseIsReturned(t *testing.T) {
	is := is.New(t)
	mine := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	url, o := site(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel(mine)
		<-r.Context().Done()
	})
	_, err := Get(ctx, o, url)
	is.Equal(err, mine)
}

func TestLimitsHaveALimit(t *testing.T) {
	is := is.New(t)
	is.Equal(clamp(0, DefaultTimeout, LongestTimeout), 15*time.Second)
	is.Equal(clamp(-1, DefaultTimeout, LongestTimeout), 15*time.Second)
	is.Equal(clamp(time.Hour, DefaultTimeout, LongestTimeout), 60*time.Second)
	is.Equal(clamp[int64](1<<40, DefaultMaxBytes, HighestMaxBytes), int64(20<<20))
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	is := is.New(t)
	is.Equal(os.Getenv("HTTPS_PROXY"), deadProxy)
	url, o := site(t, says("direct"))
	o.network.resolver = names(map[string]string{"example.com": "127.0.0.1"}) // a name for which the proxy would be used
	got, err := Get(t.Context(), o, strings.Replace(url, "127.0.0.1", "example.com", 1))
	is.NoErr(err)
	is.Equal(string(got.Body), "direct")
}

func TestNoErrorRevealsTheQuery(t *testing.T) {
	url, o := site(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	port := url[strings.LastIndex(url, ":"):]
	o.network.resolver = names(map[string]string{"wrong.test": "127.0.0.1"})
	for _, u := range []string{
		url, "https://wrong.test" + port, "https://nowhere.test", "http://127.0.0.1", "https://127.0.0.1:1",
		"https://10.0.0.1", "https://a b", "https://u:hunter2@127.0.0.1",
	} {
		is := is.New(t)
		_, err := Get(t.Context(), o, u+"/?token=hunter2")
		is.True(err != nil)
		is.True(!strings.Contains(err.Error(), "hunter2")) // SE-04
	}
}

func TestResolveReturnsPublicAddresses(t *testing.T) {
	is := is.New(t)
	n := network{resolver: names(map[string]string{"a.test": "93.184.216.34,2606:2800:21f::1", "none.test": ""})}
	got, err := n.resolve(t.Context(), "a.test")
	is.NoErr(err)
	is.Equal(len(got), 2)
	for _, a := range got {
		is.True(a == netip.MustParseAddr("93.184.216.34") || a == netip.MustParseAddr("2606:2800:21f::1"))
	}
	_, err = n.resolve(t.Context(), "none.test")
	is.True(isNetwork(err))
	_, err = n.resolve(t.Context(), "nowhere.test")
	is.True(isNetwork(err))
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("gone"))
	_, err = n.resolve(gone, "a.test")
	is.Equal(fmt.Sprint(err), "gone")
}
