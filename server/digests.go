package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// digest returns a digest of the contents of a resource, for subscriptions. Its error is the one
// that is sent to the client.
func (r reader) digest(ctx context.Context, uri string) (string, error) {
	contents, err := r.contents(ctx, uri)
	if err != nil {
		return "", providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	return digestOf(contents)
}

func digestOf(contents []providers.Content) (string, error) {
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode(contents); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// gone reports whether an error means that a resource does not exist any more.
func gone(err error) bool {
	var e *jsonrpc2.Error
	return errors.As(err, &e) && e.Code == mcp.CodeResourceNotFound
}
