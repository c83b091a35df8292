package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// digests tell what resources hold, for subscriptions. A file that was not
// touched since is not read again.
type digests struct {
	reader reader

	mu   sync.Mutex
	kept map[string]kept // by URI, for files
}

// kept is what a file held when it had a stamp.
type kept struct {
	modified time.Time
	size     int64
	digest   string
}

// settled is how old a file must be for its stamp to be trusted: within it, two
// writes may leave the same one.
const settled = 2 * time.Second

// of tells what a resource holds now. Its error is what the client is told.
func (d *digests) of(ctx context.Context, uri string) (string, error) {
	info := statOf(uri)
	d.mu.Lock()
	last, ok := d.kept[uri]
	d.mu.Unlock()
	if ok && info != nil && info.ModTime().Equal(last.modified) && info.Size() == last.size {
		return last.digest, nil
	}
	contents, err := d.reader.contents(ctx, uri)
	if err != nil {
		d.mu.Lock()
		delete(d.kept, uri)
		d.mu.Unlock()
		return "", providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode(contents); err != nil {
		return "", err
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	if info != nil && time.Since(info.ModTime()) > settled {
		d.mu.Lock()
		if d.kept == nil {
			d.kept = make(map[string]kept)
		}
		d.kept[uri] = kept{info.ModTime(), info.Size(), digest}
		d.mu.Unlock()
	}
	return digest, nil
}

// statOf looks at the file that a file: URI names, nil where it is none.
func statOf(uri string) os.FileInfo {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return nil
	}
	info, err := os.Stat(filepath.FromSlash(u.Path))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// gone reports whether an error says that a resource is no more.
func gone(err error) bool {
	var e *jsonrpc2.Error
	return errors.As(err, &e) && e.Code == mcp.CodeResourceNotFound
}
