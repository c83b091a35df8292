package sdk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A downloadError is the reason why a file was not downloaded.
type downloadError struct {
	kind     string // one of the constants below
	message  string
	location string // the target of a redirect
}

const (
	invalidURL   = "invalid_url"
	badParams    = "invalid_params"
	hostBlocked  = "host_blocked"
	networkError = "network_error"
	sizeExceeded = "size_exceeded"
	writeError   = "write_error"
	redirected   = "redirect"
)

func (e *downloadError) Error() string { return e.message }

// downloadSafe answers mcp_download_safe, which always returns 0: FOLDER --url U --out P
// [--allow H]... [--deny H]... [--max-bytes N] [--timeout S] [--user-agent S] [--retry N]
// [--retry-delay S].
func (c *Channel) downloadSafe(ctx context.Context, args []string) answer {
	path, n, err := c.fetch(ctx, args)
	if err != nil {
		about := problem(err.kind, err.message)
		if err.location != "" {
			about = about.with("location", json.Quote(err.location))
		}
		return print(string(json.Object("success", false, "error", about.value())))
	}
	return print(string(json.Object("success", true, "bytes", n, "path", path)))
}

// downloadOrFail answers mcp_download_safe_or_fail, which prints the path.
func (c *Channel) downloadOrFail(ctx context.Context, args []string) answer {
	path, _, err := c.fetch(ctx, args)
	if err != nil {
		return invalid(fmt.Sprintf("Download failed (%s): %s", err.kind, err.message))
	}
	return print(path)
}

// fetch returns the path as the tool gave it, and the size of the file.
func (c *Channel) fetch(ctx context.Context, args []string) (string, int64, *downloadError) {
	fault := func(err error) (string, int64, *downloadError) {
		return "", 0, &downloadError{kind: badParams, message: err.Error()}
	}
	g, err := spec{
		"--url": 1, "--out": 1, "--allow": 1, "--deny": 1, "--max-bytes": 1, "--timeout": 1,
		"--user-agent": 1, "--retry": 1, "--retry-delay": 1,
	}.parse(args, 1)
	if err != nil {
		return fault(err)
	}
	url, _ := g.value("--url")
	out, _ := g.value("--out")
	r := download{URL: url, RetryDelay: time.Second}
	r.Hosts = fetch.Hosts{Allow: g.values("--allow"), Deny: g.values("--deny")}
	if out != "" {
		r.Out = absolute(arg(g.args, 0), out)
	}
	r.UserAgent, _ = g.value("--user-agent")
	for _, o := range []struct {
		name string
		set  func(seconds float64)
	}{
		{"--max-bytes", func(n float64) { r.MaxBytes = int64(n) }},
		{"--timeout", func(n float64) { r.Timeout = seconds(n) }},
		{"--retry", func(n float64) { r.Retries = int(n) }},
		{"--retry-delay", func(n float64) { r.RetryDelay = seconds(n) }},
	} {
		text, given := g.value(o.name)
		if !given {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n <= 1e12) {
			return fault(fmt.Errorf("%s %q is not a valid number", o.name, text))
		}
		o.set(n)
	}
	if c.call.NoNetwork {
		return "", 0, &downloadError{kind: hostBlocked, message: "the sandbox of this tool denies access to the network"}
	}
	r.Confine = c.call.Confine
	n, e := fetchFile(ctx, c.server.Downloads, r)
	return out, n, e
}

// seconds returns a duration, at most a minute, the longest wait of a download.
func seconds(n float64) time.Duration {
	return time.Duration(min(n, 60) * float64(time.Second))
}

// mostRetries is the most retries of a download.
const mostRetries = 10

// A download is what to fetch and where to put it.
type download struct {
	fetch.Options // of one attempt, with hosts in addition to those of the server

	URL string
	Out string // an absolute path; an existing file is replaced atomically
	// Confine runs the function that writes the file; nil: it is called directly.
	Confine    func(func() error) error
	Retries    int           // attempts after the first, for temporary errors
	RetryDelay time.Duration // before the first retry; it doubles each time

	get func(context.Context, fetch.Options, string) (fetch.Result, error) // nil: fetch.Get
}

// fetchFile fetches a file and returns its size. Hosts are those that the server allows and denies; Deny has
// priority over Allow.
func fetchFile(ctx context.Context, hosts fetch.Hosts, r download) (int64, *downloadError) {
	switch {
	case r.URL == "":
		return 0, &downloadError{kind: invalidURL, message: "--url is required"}
	case r.Out == "":
		return 0, &downloadError{kind: badParams, message: "--out is required"}
	}
	r.Hosts = fetch.Hosts{
		Allow:    slices.Concat(hosts.Allow, r.Hosts.Allow),
		Deny:     slices.Concat(hosts.Deny, r.Hosts.Deny),
		AllowAll: hosts.AllowAll,
	}
	result, err := r.retry(ctx)
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
		return 0, &downloadError{kind: writeError, message: strings.TrimPrefix(err.Error(), "open ")}
	}
	return int64(len(result.Body)), nil
}

// retry fetches, and tries again after temporary errors.
func (r download) retry(ctx context.Context) (fetch.Result, error) {
	get := r.get
	if get == nil {
		get = fetch.Get
	}
	for attempt := 0; ; attempt++ {
		result, err := get(ctx, r.Options, r.URL)
		if attempt >= min(r.Retries, mostRetries) || !fetch.Passing(err) {
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
func explain(err error) *downloadError {
	e := &downloadError{kind: networkError, message: err.Error()}
	var host *fetch.HostError
	var redirect *fetch.RedirectError
	switch {
	case errors.Is(err, fetch.ErrURL):
		e.kind, e.message = invalidURL, "URL "+strings.TrimPrefix(e.message, fetch.ErrURL.Error()+": ")
	case errors.As(err, &host) && host.Denied:
		e.kind, e.message = hostBlocked, host.Host+" is on a deny list"
	case errors.As(err, &host):
		e.kind, e.message = hostBlocked, host.Host+" is not on an allow list; allow it with --allow or "+
			"MCPBASH_HTTPS_ALLOW_HOSTS"
	case errors.Is(err, fetch.ErrAddress):
		e.kind = hostBlocked
	case errors.Is(err, fetch.ErrTooLarge):
		e.kind = sizeExceeded
	case errors.As(err, &redirect):
		e.kind, e.location = redirected, redirect.Location
	}
	return e
}
