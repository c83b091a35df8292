package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// digest tells what a resource holds now, for those who watch it. Its error is
// what the client is told.
func (r reader) digest(ctx context.Context, uri string) (string, error) {
	contents, err := r.contents(ctx, uri)
	if err != nil {
		return "", providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode(contents); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// settled is how old a file must be for its stamp to be trusted: within it, two
// writes may leave the same one.
const settled = 2 * time.Second

// stamp tells without reading whether the file that a file: URI names was touched;
// "" where only reading does.
func stamp(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	info, err := os.Stat(filepath.FromSlash(u.Path))
	if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) <= settled {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// gone reports whether an error says that a resource is no more.
func gone(err error) bool {
	var e *jsonrpc2.Error
	return errors.As(err, &e) && e.Code == mcp.CodeResourceNotFound
}
