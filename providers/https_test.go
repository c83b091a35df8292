package providers

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
)

// site returns an HTTPS provider whose downloads have this result.
func site(result fetch.Result, err error) HTTPS {
	return HTTPS{get: func(context.Context, fetch.Options, string) (fetch.Result, error) { return result, err }}
}

func TestADownloadHasTheTypeFromItsServer(t *testing.T) {
	for _, c := range []struct{ path, header, body, want string }{
		{"/a.json", "application/problem+json", "{}", `"mimeType":"application/problem+json","text":"{}"`},
		{"/a", "text/html; charset=UTF-8", "<p>", `"mimeType":"text/html","text":"\u003cp\u003e"`},
		{"/a", "text/plain; charset=iso-8859-1", "\xfc", `"mimeType":"text/plain; charset=iso-8859-1","blob":"/A=="`},
		{"/a.md?x=y.png", "application/octet-stream", "# A", `"mimeType":"text/markdown","text":"# A"`},
		{"/a.md", "", "# A", `"mimeType":"text/markdown","text":"# A"`},
		{"/a", "what; is=this; is=that", "hello", `"mimeType":"text/plain","text":"hello"`},
	} {
		is := is.New(t)
		uri := "https://example.com" + c.path
		got := read(t, site(fetch.Result{Body: []byte(c.body), ContentType: c.header}, nil), uri)
		is.Equal(got, `{"uri":"`+uri+`",`+c.want+`}`)
	}
}

func TestDownloadsUseTheOptionsOfTheOperator(t *testing.T) {
	is := is.New(t)
	var asked fetch.Options
	h := HTTPS{Hosts: fetch.Hosts{Allow: []string{"a.test"}}, MaxBytes: 7, Timeout: time.Second, UserAgent: "probe"}
	h.get = func(_ context.Context, o fetch.Options, _ string) (fetch.Result, error) {
		asked = o
		return fetch.Result{Body: []byte{}}, nil
	}
	_, err := h.Read(t.Context(), "https://a.test/")
	is.NoErr(err)
	is.Equal(asked.Hosts.Allow[0], "a.test")
	is.Equal(asked.MaxBytes, int64(7))
	is.Equal(asked.Timeout, time.Second)
	is.Equal(asked.UserAgent, "probe")
}

func TestEachErrorOfADownloadIsAFault(t *testing.T) {
	for _, c := range []struct{ err, want error }{
		{fetch.ErrURL, ErrBadURI},
		{fetch.ErrHost, ErrDenied},
		{fetch.ErrAddress, ErrDenied},
		{fetch.ErrTooLarge, ErrTooLarge},
		{&fetch.StatusError{Status: 404}, ErrNotFound},
		{&fetch.StatusError{Status: 410}, ErrNotFound},
		{&fetch.StatusError{Status: 403}, ErrUnavailable},
		{&fetch.StatusError{Status: 500}, ErrUnavailable},
		{&fetch.RedirectError{Location: "https://b.test/"}, ErrUnavailable},
		{&fetch.NetworkError{Host: "a.test"}, ErrUnavailable},
	} {
		is := is.New(t)
		_, err := site(fetch.Result{}, fmt.Errorf("%w: more", c.err)).Read(t.Context(), "https://a.test/")
		is.Equal(faultIn(err), c.want)
		is.True(errors.Is(err, c.err)) // and the cause is still there
	}
	is := is.New(t)
	gone := errors.New("gone")
	_, err := site(fetch.Result{}, gone).Read(t.Context(), "https://a.test/")
	is.Equal(err, gone) // the cause of the context
}

func TestWithoutAnAllowedHostNothingIsDownloaded(t *testing.T) {
	is := is.New(t)
	is.Equal(read(t, HTTPS{}, "https://example.com/"),
		"resource not allowed: host not allowed: example.com is not on the allow list; see MCPBASH_HTTPS_ALLOW_HOSTS and MCPBASH_HTTPS_DENY_HOSTS")
	is.Equal(read(t, HTTPS{Hosts: fetch.Hosts{Allow: []string{"localhost"}}}, "https://localhost/"),
		"resource not allowed: address not public: localhost is in a private network or on this machine")
}
