// Package fetch downloads over https, only from hosts that the operator has allowed.
//
//	o := fetch.Options{Hosts: fetch.Hosts{Allow: []string{"example.com", "*.example.org"}}}
//	result, err := fetch.Get(ctx, o, "https://example.com/data.json")
//
// A URL that comes from a client can be used to reach what only this machine can reach: its own
// services, its network, the metadata service of its cloud. So a host must be allowed by name, and
// its address must be public. The address is checked when the connection is made, after DNS: a name
// that changes its address between a check and a use (DNS rebinding) gains nothing. Redirects are
// reported, not followed; no proxy, no cookies, no credentials are used.
//
// The package is independent of MCP and is used for all downloads; code that only needs the rules
// for hosts, such as the git provider, uses [Hosts] and [Resolve].
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// These are the limits of a download: the defaults, and the highest that Options can set.
const (
	DefaultMaxBytes = 10 << 20
	HighestMaxBytes = 20 << 20
	DefaultTimeout  = 15 * time.Second
	LongestTimeout  = 60 * time.Second
)

// maxHeaderBytes limits the header; a server has no reason to send more before the body.
const maxHeaderBytes = 64 << 10

// Options configure a download. The zero value allows no host.
type Options struct {
	Hosts    Hosts
	MaxBytes int64 // of the body; 0 means DefaultMaxBytes, more than HighestMaxBytes means HighestMaxBytes
	// for the whole download; 0 means DefaultTimeout, more than LongestTimeout means LongestTimeout
	Timeout   time.Duration
	UserAgent string // empty means "mcp-bash"

	network network
}

// A Result is a downloaded body.
type Result struct {
	Body        []byte // never nil
	ContentType string // as the server wrote it; may be empty
}

// Get downloads what a URL names. The error is, by errors.Is or errors.As,
//
//   - [ErrURL] if the URL cannot be fetched,
//   - [ErrHost] (a [*HostError]) if the lists do not allow its host, [ErrAddress] if its address is not public,
//   - a [*RedirectError] or a [*StatusError] if the server answered so,
//   - [ErrTooLarge] if the body is larger than MaxBytes,
//   - a [*NetworkError] if no complete answer came in time,
//   - context.Cause(ctx) if ctx was done first.
//
// No error contains the query of the URL, which may contain a secret.
func Get(ctx context.Context, o Options, rawURL string) (Result, error) {
	u, err := ParseURL(rawURL)
	if err != nil {
		return Result{}, err
	}
	if err := o.Hosts.Check(u); err != nil {
		return Result{}, err
	}
	timeout := clamp(o.Timeout, DefaultTimeout, LongestTimeout)
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := o.get(timed, u)
	switch {
	// When we cancel, a server may end its answer early and properly. So an answer that comes when
	// the time is up does not count, however complete it looks.
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case timed.Err() != nil:
		return Result{}, &NetworkError{Host: u.Hostname(), Reason: fmt.Sprintf("no complete response within %v", timeout)}
	case err != nil:
		return Result{}, err
	}
	return result, nil
}

func (o Options) get(ctx context.Context, u *url.URL) (Result, error) {
	transport := &http.Transport{
		Proxy:                  nil, // a proxy would resolve the name and connect in our place
		DialContext:            o.network.dialer().DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: o.network.roots},
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true,
		DisableCompression:     true, // the limit counts the transferred bytes
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	defer transport.CloseIdleConnections()
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Result{}, fmt.Errorf("%w: cannot be requested", ErrURL)
	}
	request.Header.Set("User-Agent", cmp.Or(o.UserAgent, "mcp-bash"))
	response, err := client.Do(request)
	if err != nil {
		return Result{}, explain(u.Hostname(), err)
	}
	defer response.Body.Close()
	if err := checkResponse(response); err != nil {
		return Result{}, err
	}
	body, err := o.read(response)
	return Result{Body: body, ContentType: response.Header.Get("Content-Type")}, err
}

// checkResponse returns an error for anything but a complete answer.
func checkResponse(r *http.Response) error {
	switch {
	case r.StatusCode == http.StatusOK:
		return nil
	case r.StatusCode >= 300 && r.StatusCode < 400:
		if to, err := r.Location(); err == nil {
			return &RedirectError{Status: r.StatusCode, Location: to.String()}
		}
	}
	return &StatusError{Host: r.Request.URL.Hostname(), Status: r.StatusCode}
}

// read reads the body, up to the limit.
func (o Options) read(r *http.Response) ([]byte, error) {
	max := clamp(o.MaxBytes, DefaultMaxBytes, HighestMaxBytes)
	if r.ContentLength > max {
		return nil, fmt.Errorf("%w: it has %d bytes, the limit is %d", ErrTooLarge, r.ContentLength, max)
	}
	body := bytes.NewBuffer([]byte{})
	_, err := io.Copy(body, io.LimitReader(r.Body, max+1))
	switch {
	case int64(body.Len()) > max:
		return nil, fmt.Errorf("%w: it has more than the limit of %d bytes", ErrTooLarge, max)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &NetworkError{Host: r.Request.URL.Hostname(), Reason: "the connection was closed before the end"}
	case err != nil:
		return nil, explain(r.Request.URL.Hostname(), err)
	}
	return body.Bytes(), nil
}

// clamp returns v, but at most most, and otherwise if v is not positive.
func clamp[T int64 | time.Duration](v, otherwise, most T) T {
	if v <= 0 {
		return otherwise
	}
	return min(v, most)
}
