package providers

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
)

// Echo reads echo: URIs, for demonstrations and tests:
//
//	echo://hello%20world    is    hello world
//
// A payload that is not properly percent-encoded is returned as it is.
type Echo struct{}

// Read returns what follows echo:// in the URI.
func (Echo) Read(_ context.Context, uri string) ([]Content, error) {
	scheme, rest, _ := strings.Cut(uri, ":")
	payload, ok := strings.CutPrefix(rest, "//")
	if !ok || !strings.EqualFold(scheme, "echo") {
		return nil, fmt.Errorf("%w: write echo://TEXT", ErrBadURI)
	}
	if decoded, err := url.PathUnescape(payload); err == nil {
		payload = decoded
	}
	return []Content{NewContent(uri, mediatype.Of("", []byte(payload)), []byte(payload))}, nil
}
