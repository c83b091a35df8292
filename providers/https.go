package providers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
)

// Hosts decides which hosts may be connected to: Allow and Deny name hosts, "*.example.com" means
// every name that ends in ".example.com"; Deny wins, and AllowAll allows all hosts that it does not
// name. The zero value allows none.
type Hosts = fetch.Hosts

// HTTPS reads https: URIs of hosts that are allowed by name and have public addresses; see
// package fetch for what is refused. The zero value allows no host.
type HTTPS struct {
	Hosts     Hosts
	MaxBytes  int64         // 0 means 10 MiB, at most 20 MiB
	Timeout   time.Duration // 0 means 15 s, at most 60 s
	UserAgent string        // empty means "mcp-bash"

	get func(context.Context, fetch.Options, string) (fetch.Result, error) // nil: fetch.Get
}

// Read downloads what a URI names. Its MIME type is that of the server, unless it is meaningless.
func (h HTTPS) Read(ctx context.Context, uri string) ([]Content, error) {
	get := h.get
	if get == nil {
		get = fetch.Get
	}
	o := fetch.Options{Hosts: h.Hosts, MaxBytes: h.MaxBytes, Timeout: h.Timeout, UserAgent: h.UserAgent}
	result, err := get(ctx, o, uri)
	if err != nil {
		return nil, httpsFault(err)
	}
	mimeType := mediatype.Plain(result.ContentType)
	if mimeType == "" || mimeType == "application/octet-stream" {
		mimeType = mediatype.Of(nameIn(uri), result.Body)
	}
	return []Content{NewContent(uri, mimeType, result.Body)}, nil
}

func httpsFault(err error) error {
	var status *fetch.StatusError
	var redirect *fetch.RedirectError
	var network *fetch.NetworkError
	switch {
	case errors.Is(err, fetch.ErrURL):
		return fmt.Errorf("%w: %w", ErrBadURI, err)
	case errors.Is(err, fetch.ErrHost):
		return fmt.Errorf("%w: %w; see MCPBASH_HTTPS_ALLOW_HOSTS and MCPBASH_HTTPS_DENY_HOSTS", ErrDenied, err)
	case errors.Is(err, fetch.ErrAddress):
		return fmt.Errorf("%w: %w", ErrDenied, err)
	case errors.Is(err, fetch.ErrTooLarge):
		return fmt.Errorf("%w: %w; raise MCPBASH_HTTPS_MAX_BYTES", ErrTooLarge, err)
	case errors.As(err, &status) && (status.Status == 404 || status.Status == 410):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case errors.As(err, &status), errors.As(err, &redirect), errors.As(err, &network):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err // the cause of the context
}
