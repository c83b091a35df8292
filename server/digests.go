package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
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

// stamp returns, without reading it, a value that differs when the file of a file: URI has changed;
// "" if there is none.
func stamp(uri string) string {
	path, ok := filePath(uri)
	if !ok {
		return ""
	}
	return project.Stamp(path)
}

// filePath returns the path of a file: URI.
func filePath(uri string) (path string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}

// reports starts reporting changes of a resource, if it is read from a file.
func (r reader) reports(uri string) (reported func() bool, release func()) {
	path, ok := r.file(uri)
	if !ok {
		return func() bool { return false }, func() {}
	}
	return r.project.Observe(path)
}

// file returns the file that a resource is read from, if it depends on nothing but that and
// metadata.
func (r reader) file(uri string) (path string, ok bool) {
	scheme, _, _ := strings.Cut(uri, ":")
	scheme = strings.ToLower(scheme)
	if _, scripted := r.set.Scripts.Provider(scheme); scripted {
		return "", false
	}
	ctx := context.Background()
	_, served := r.set.Schemes[scheme]
	listed, err := r.project.Resource(ctx, uri)
	switch {
	case errors.Is(err, project.ErrUnknownResource):
		t, _, err := r.project.Match(ctx, uri)
		if scheme != "file" || err == nil && (t.Path != "" || project.OtherProvider(t.Provider, t.URITemplate) != "") {
			return "", false
		}
		return filePath(uri)
	case err != nil:
		return "", false
	case project.OtherProvider(listed.Provider, uri) != "":
		return listed.Path, r.fromFile(listed)
	case scheme == "file":
		return filePath(uri)
	case scheme == "ui", !served:
		return cmp.Or(listed.Path, listed.MetadataFile), listed.Path != "" || listed.MetadataFile != ""
	}
	return "", false
}

// gone reports whether an error means that a resource does not exist any more.
func gone(err error) bool {
	var e *jsonrpc2.Error
	return errors.As(err, &e) && e.Code == mcp.CodeResourceNotFound
}
