// Package download fetches files over HTTPS for tools, and from nowhere they should not
// reach: only hosts that are allowed, only public addresses, no redirects, bounded in
// size and time.
package download

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The bounds of a download.
const (
	DefaultMaxBytes = 10 << 20
	MostBytes       = 20 << 20
	DefaultTimeout  = 15 * time.Second
	MostTime        = 60 * time.Second
	MostRetries     = 10
)

// A Request says what to fetch and where to put it.
type Request struct {
	URL string
	Out string // an absolute path; a file that is there is replaced, in one step
	// Allow and Deny are hosts beside those of the Policy.
	Allow, Deny []string
	MaxBytes    int64         // 0: DefaultMaxBytes; more than MostBytes is MostBytes
	Timeout     time.Duration // of one attempt; 0: DefaultTimeout; more than MostTime is MostTime
	UserAgent   string
	Retries     int           // attempts after the first, for what may pass
	RetryDelay  time.Duration // before the first of them; it doubles
}

// The types of errors.
const (
	InvalidURL    = "invalid_url"
	InvalidParams = "invalid_params"
	HostBlocked   = "host_blocked"
	NetworkError  = "network_error"
	SizeExceeded  = "size_exceeded"
	WriteError    = "write_error"
	Redirect      = "redirect"
)

// An Error says why a file was not fetched.
type Error struct {
	Type     string
	Message  string
	Location string // where a redirect leads
	passing  bool   // another attempt may succeed
}

func (e *Error) Error() string { return e.Message }

// Fetch fetches a file and returns its size. All errors are of type [*Error].
func (p Policy) Fetch(ctx context.Context, r Request) (int64, error) {
	return p.fetch(ctx, r, dialing{})
}

// dialing is what tests replace: they have no server on the public internet.
type dialing struct {
	control func(network, address string, c syscall.RawConn) error
	tls     *tls.Config
}

func (p Policy) fetch(ctx context.Context, r Request, d dialing) (int64, error) {
	u, err := p.check(r)
	if err != nil {
		return 0, err
	}
	if r.Out == "" {
		return 0, &Error{Type: InvalidParams, Message: "--out is required"}
	}
	if d.control == nil {
		d.control = control
	}
	client := client(d)
	defer client.CloseIdleConnections()
	for attempt := 0; ; attempt++ {
		n, err := r.once(ctx, client, u.String())
		var e *Error
		if err == nil || attempt >= min(r.Retries, MostRetries) || !errors.As(err, &e) || !e.passing {
			return n, err
		}
		select {
		case <-time.After(r.RetryDelay << attempt):
		case <-ctx.Done():
			return 0, err
		}
	}
}

// client makes a client that asks nobody else: no proxy, no redirect.
func client(d dialing) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: d.control}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        d.tls,
			TLSHandshakeTimeout:    10 * time.Second,
			DisableCompression:     true, // the size is bounded as it comes
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// once makes one attempt.
func (r Request) once(ctx context.Context, client *http.Client, url string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, min(or(r.Timeout, DefaultTimeout), MostTime))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, &Error{Type: InvalidURL, Message: err.Error()}
	}
	req.Header.Set("User-Agent", or(r.UserAgent, "mcp-bash"))
	resp, err := client.Do(req)
	if err != nil {
		return 0, network(err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e := &Error{Type: Redirect, Message: "the server redirects (" + resp.Status + "); ask for the new location if you trust it"}
		if l, err := resp.Location(); err == nil {
			e.Location = l.String()
		}
		return 0, e
	case resp.StatusCode != http.StatusOK:
		passing := resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout
		return 0, &Error{Type: NetworkError, Message: "the server answers " + resp.Status, passing: passing}
	}
	limit := min(or(r.MaxBytes, DefaultMaxBytes), MostBytes)
	if resp.ContentLength > limit {
		return 0, tooLarge(limit)
	}
	return save(resp.Body, r.Out, limit)
}

func tooLarge(limit int64) error {
	return &Error{Type: SizeExceeded, Message: fmt.Sprintf("the file is larger than %d bytes", limit)}
}

// network explains an error of the client. What the control said comes wrapped in it.
func network(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	passing := !errors.As(err, &certificate) && !(errors.As(err, &dns) && dns.IsNotFound)
	message := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		message = "the server took too long"
	}
	return &Error{Type: NetworkError, Message: message, passing: passing}
}

// save writes a body into a file beside out, then puts it in its place: nobody sees half
// of it.
func save(body io.Reader, out string, limit int64) (n int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out)+".*")
	if err != nil {
		return 0, unwritable(err)
	}
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	w := &writer{File: f}
	n, err = io.Copy(w, io.LimitReader(body, limit+1))
	switch {
	case w.err != nil:
		return 0, unwritable(w.err)
	case err != nil:
		return 0, network(err)
	case n > limit:
		return 0, tooLarge(limit)
	}
	if err = errors.Join(f.Chmod(0o600), f.Close()); err == nil {
		err = os.Rename(f.Name(), out)
	}
	if err != nil {
		return 0, unwritable(err)
	}
	return n, nil
}

// writer remembers that it was the one that failed.
type writer struct {
	*os.File
	err error
}

func (w *writer) Write(b []byte) (int, error) {
	n, err := w.File.Write(b)
	w.err = err
	return n, err
}

// ReadFrom hides that of the file, which would report errors of both sides alike.
func (w *writer) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{w}, r) }

func unwritable(err error) error {
	return &Error{Type: WriteError, Message: strings.TrimPrefix(err.Error(), "open ")}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
