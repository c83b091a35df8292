// Package download downloads files from the web for tools. Package fetch decides which
// hosts are allowed, and how they are asked.
package download

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// MostRetries is the most retries of a download.
const MostRetries = 10

// A Request is what to fetch and where to put it.
type Request struct {
	URL string
	Out string // an absolute path; an existing file is replaced atomically
	// Allow and Deny are hosts in addition to those of the server.
	Allow, Deny []string
	MaxBytes    int64         // as in fetch.Options
	Timeout     time.Duration // of one attempt; as in fetch.Options
	UserAgent   string
	// Confine runs the function that writes the file; nil: it is called directly.
	Confine    func(func() error) error
	Retries    int           // attempts after the first, for temporary errors
	RetryDelay time.Duration // before the first retry; it doubles each time

	get func(context.Context, fetch.Options, string) (fetch.Result, error) // nil: fetch.Get
}

// Fetch fetches a file and returns its size. Hosts are those that the server allows and
// denies; Deny has priority over Allow. All errors are of type [*Error].
func Fetch(ctx context.Context, hosts fetch.Hosts, r Request) (int64, error) {
	switch {
	case r.URL == "":
		return 0, &Error{Type: InvalidURL, Message: "--url is required"}
	case r.Out == "":
		return 0, &Error{Type: InvalidParams, Message: "--out is required"}
	}
	o := fetch.Options{
		Hosts: fetch.Hosts{
			Allow:    slices.Concat(hosts.Allow, r.Allow),
			Deny:     slices.Concat(hosts.Deny, r.Deny),
			AllowAll: hosts.AllowAll,
		},
		MaxBytes:  r.MaxBytes,
		Timeout:   r.Timeout,
		UserAgent: r.UserAgent,
	}
	result, err := r.retry(ctx, o)
	if err != nil {
		return 0, explain(err)
	}
	put := func() error { return files.Replace(r.Out, result.Body, 0o600) }
	if r.Confine != nil {
		err = r.Confine(put)
	} else {
		err = put()
	}
	if err != nil {
		return 0, &Error{Type: WriteError, Message: strings.TrimPrefix(err.Error(), "open ")}
	}
	return int64(len(result.Body)), nil
}

// retry fetches, and tries again after temporary errors.
func (r Request) retry(ctx context.Context, o fetch.Options) (fetch.Result, error) {
	get := r.get
	if get == nil {
		get = fetch.Get
	}
	for attempt := 0; ; attempt++ {
		result, err := get(ctx, o, r.URL)
		if attempt >= min(r.Retries, MostRetries) || !fetch.Passing(err) {
			return result, err
		}
		select {
		case <-time.After(r.RetryDelay << attempt):
		case <-ctx.Done():
			return result, err
		}
	}
}

// explain returns the error for the tool for an error of a fetch.
func explain(err error) *Error {
	e := &Error{Type: NetworkError, Message: err.Error()}
	var host *fetch.HostError
	var redirect *fetch.RedirectError
	switch {
	case errors.Is(err, fetch.ErrURL):
		e.Type, e.Message = InvalidURL, "URL "+strings.TrimPrefix(e.Message, fetch.ErrURL.Error()+": ")
	case errors.As(err, &host) && host.Denied:
		e.Type, e.Message = HostBlocked, host.Host+" is on a deny list"
	case errors.As(err, &host):
		e.Type, e.Message = HostBlocked, host.Host+" is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"
	case errors.Is(err, fetch.ErrAddress):
		e.Type = HostBlocked
	case errors.Is(err, fetch.ErrTooLarge):
		e.Type = SizeExceeded
	case errors.As(err, &redirect):
		e.Type, e.Location = Redirect, redirect.Location
	}
	return e
}
