package main

import (
	"io"
	"net/http"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/auth"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// limited refuses a request while its caller has no share left of those that may be open. In front of what accepts
// tokens all callers are one.
func limited(shares *limit.Shares, counted *metrics.Metrics, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := auth.User(r)
		if err := shares.Take(caller, 1); err != nil {
			counted.Overload("requests")
			message.Busy(w, http.StatusServiceUnavailable, pipeline.ID{}, err)
			return
		}
		defer shares.Free(caller, 1)
		next.ServeHTTP(w, r)
	})
}

// measured counts the bytes that are read of a request's body until the request has ended, and lets reading fail when
// its caller has no share left.
func measured(shares *limit.Shares, counted *metrics.Metrics, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := &body{ReadCloser: r.Body, shares: shares, caller: auth.User(r), refused: counted.Overload}
		defer func() { shares.Free(b.caller, b.held) }()
		r.Body = b // of the copy that slow.Handler has made
		next.ServeHTTP(w, r)
	})
}

// A body takes what is read of it out of shares.
type body struct {
	io.ReadCloser
	shares  *limit.Shares
	caller  string
	held    int
	refused func(limit string)
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if full := b.shares.Take(b.caller, n); full != nil {
		b.refused("bodies")
		return 0, full
	}
	b.held += n
	return n, err
}
