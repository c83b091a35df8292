package sdk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
)

// A site is a fake of the public internet: it gives its bodies in order, and repeats the last one.
type site struct {
	gives []served
	asked []fetch.Options
	out   string
}

// A served is a body, or an error.
type served struct {
	body string
	err  error
}

func newSite(t *testing.T, gives ...served) *site {
	t.Helper()
	return &site{gives: gives, out: filepath.Join(t.TempDir(), "file")}
}

func (s *site) get(_ context.Context, o fetch.Options, _ string) (fetch.Result, error) {
	a := s.gives[min(len(s.asked), len(s.gives)-1)]
	s.asked = append(s.asked, o)
	return fetch.Result{Body: []byte(a.body)}, a.err
}

// fetch downloads a file from the site and returns the outcome as text.
func (s *site) fetch(r download) string {
	r.URL, r.Out, r.get = "https://example.com/", s.out, s.get
	return told(fetchFile(context.Background(), fetch.Hosts{}, r))
}

func told(n int64, e *downloadError) string {
	if e != nil {
		return strings.TrimSpace(e.kind + ": " + e.message + " " + e.location)
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

func TestADownloadReplacesTheFile(t *testing.T) {
	is := is.New(t)
	s := newSite(t, served{body: "hello"})
	is.NoErr(os.WriteFile(s.out, []byte("old and longer"), 0o644))
	is.Equal(s.fetch(download{}), "5 bytes")
	is.Equal(s.file(), "hello")
	left, err := os.ReadDir(filepath.Dir(s.out))
	is.NoErr(err)
	is.Equal(len(left), 1) // and no temporary file is left
}

func TestTheRequestReachesTheFetch(t *testing.T) {
	is := is.New(t)
	s := newSite(t, served{})
	r := download{
		URL: "https://example.com/", Out: s.out, get: s.get, Options: fetch.Options{
			Hosts: fetch.Hosts{Allow: []string{"a"}, Deny: []string{"b"}}, MaxBytes: 7, Timeout: time.Minute, UserAgent: "me/1"},
	}
	_, err := fetchFile(t.Context(), fetch.Hosts{Allow: []string{"c"}, Deny: []string{"d"}, AllowAll: true}, r)
	is.True(err == nil)
	o := s.asked[0]
	is.Equal(strings.Join(slices.Concat(o.Hosts.Allow, o.Hosts.Deny), " "), "c a d b") // the lists of both
	is.True(o.Hosts.AllowAll)
	is.Equal(o.MaxBytes, int64(7))
	is.Equal(o.Timeout, time.Minute)
	is.Equal(o.UserAgent, "me/1")
}

func TestAToolGetsTheTypeOfAnError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fetch.StatusError{Host: "a.org", Status: 404}, "network_error: a.org answered with status 404"},
		{&fetch.NetworkError{Host: "a.org", Reason: "no"}, "network_error: cannot download from a.org: no"},
		{fmt.Errorf("%w: it has 6 bytes, the limit is 5", fetch.ErrTooLarge), "size_exceeded: download too large: it has 6 bytes, the limit is 5"},
		{&fetch.RedirectError{Status: 302, Location: "https://b.org/"}, "redirect: redirect to https://b.org/; redirects are not followed, so ask for that URL if its host is allowed https://b.org/"},
		{errors.New("the call was cancelled"), "network_error: the call was cancelled"},
	} {
		is := is.New(t)
		s := newSite(t, served{err: c.err})
		is.NoErr(os.WriteFile(s.out, []byte("old"), 0o600))
		is.Equal(s.fetch(download{Retries: 0}), c.want)
		is.Equal(s.file(), "old") // the old contents are unchanged
	}
}

func TestTemporaryErrorsAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		busy := served{err: &fetch.StatusError{Host: "a.org", Status: 503}}
		start := time.Now()
		s := newSite(t, busy)
		is.Equal(s.fetch(download{Retries: 2, RetryDelay: time.Second}), "network_error: a.org answered with status 503")
		is.Equal(len(s.asked), 3)
		is.Equal(time.Since(start), 3*time.Second) // the delay doubles
		is.Equal(newSite(t, busy, busy, served{body: "at last"}).fetch(download{Retries: 2}), "7 bytes")
		s = newSite(t, busy)
		s.fetch(download{Retries: 1000})
		is.Equal(len(s.asked), 1+mostRetries) // no more, whatever is requested
		s = newSite(t, served{err: &fetch.StatusError{Status: 404}})
		s.fetch(download{Retries: 5})
		is.Equal(len(s.asked), 1) // a retry would not help
	})
}

func TestADelayEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s := newSite(t, served{err: &fetch.StatusError{Status: 503}})
		start := time.Now()
		_, err := fetchFile(ctx, fetch.Hosts{}, download{URL: "https://a.org/", Out: s.out, Retries: 9, RetryDelay: time.Hour, get: s.get})
		is.True(err != nil)
		is.Equal(time.Since(start), time.Second)
	})
}

func TestAFileThatCannotBeWrittenIsReported(t *testing.T) {
	is := is.New(t)
	s := newSite(t, served{body: "x"})
	s.out = filepath.Join(s.out, "no", "such", "folder")
	is.True(strings.HasPrefix(s.fetch(download{}), "write_error: "))
	s.out = filepath.Join(t.TempDir(), "folder")
	is.NoErr(os.Mkdir(s.out, 0o700))
	is.True(strings.HasPrefix(s.fetch(download{}), "write_error: ")) // a folder is not a file
	left, err := os.ReadDir(filepath.Dir(s.out))
	is.NoErr(err)
	is.Equal(len(left), 1) // and no temporary file is left
}

func TestForbiddenRequestsAreNotSent(t *testing.T) {
	const missing = " is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"
	hosts := fetch.Hosts{Allow: []string{"Example.com", "*.cdn.org", "a.org:8443"}, Deny: []string{"bad.cdn.org"}}
	for _, test := range []struct{ url, want string }{
		{"", "invalid_url: --url is required"},
		{"http://example.com/", "invalid_url: URL must use https://"},
		{"file:///etc/passwd", "invalid_url: URL must use https://"},
		{"https:///x", `invalid_url: URL host "": empty or longer than 253 characters`},
		{"https://2130706433/", `invalid_url: URL host "2130706433": an unusual spelling of an IP address`},
		{"https://u:p@example.com/", "invalid_url: URL must not contain a user name or password"},
		{"https://example.com@evil.org/", "invalid_url: URL must not contain a user name or password"},
		{"https://evil.org/", "host_blocked: evil.org" + missing},
		{"https://example.com.evil.org/", "host_blocked: example.com.evil.org" + missing},
		{"https://notexample.com/", "host_blocked: notexample.com" + missing},
		{"https://cdn.org/", "host_blocked: cdn.org" + missing},
		{"https://example.com:22/", "host_blocked: example.com:22" + missing},
		{"https://a.org/", "host_blocked: a.org" + missing},
		{"https://bad.cdn.org/", "host_blocked: bad.cdn.org is on a deny list"},
		{"https://bad.cdn.org:8443/", "host_blocked: bad.cdn.org:8443 is on a deny list"},
		{"https://denied.cdn.org/", "host_blocked: denied.cdn.org is on a deny list"},
		{"https://127.0.0.1/", "host_blocked: address not public: 127.0.0.1 is in a private network or on this machine"},
		{"https://localhost/", "host_blocked: address not public: localhost is in a private network or on this machine"},
	} {
		t.Run(test.url, func(t *testing.T) {
			is := is.New(t)
			r := download{
				URL: test.url, Out: filepath.Join(t.TempDir(), "file"), Retries: 3, RetryDelay: time.Hour,
				Options: fetch.Options{Hosts: fetch.Hosts{Allow: []string{"127.0.0.1", "localhost"}, Deny: []string{"denied.cdn.org"}}},
			}
			is.Equal(told(fetchFile(t.Context(), hosts, r)), test.want)
		})
	}
	is := is.New(t)
	is.Equal(told(fetchFile(t.Context(), hosts, download{URL: "https://example.com/"})), "invalid_params: --out is required")
}

func TestADownloadFollowsTheSandboxOfItsTool(t *testing.T) {
	is := is.New(t)
	s := newSite(t, served{body: "hello"})
	confined := false
	is.Equal(s.fetch(download{Confine: func(put func() error) error { confined = true; return put() }}), "5 bytes")
	is.True(confined)
	is.NoErr(os.Remove(s.out))
	got := s.fetch(download{Confine: func(func() error) error { return errors.New("not there") }})
	is.True(strings.HasPrefix(got, writeError+": not there"))
	_, err := os.Stat(s.out)
	is.True(errors.Is(err, os.ErrNotExist)) // nothing is created where the tool cannot write
}
