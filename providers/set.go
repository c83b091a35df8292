package providers

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Provider reads the resources of a URI scheme. Its errors wrap one of the faults of this
// package, or are the cause of ctx. It returns at least one content or an error: there is no empty
// result for a resource that does not exist.
type Provider interface {
	Read(ctx context.Context, uri string) ([]Content, error)
}

// A Func is a function used as a Provider.
type Func func(ctx context.Context, uri string) ([]Content, error)

// Read calls f.
func (f Func) Read(ctx context.Context, uri string) ([]Content, error) { return f(ctx, uri) }

// A Set reads any URI, each with the provider of its scheme: the project's own script for it, else that
// of Schemes. The zero value reads nothing.
type Set struct {
	Scripts Scripts
	Schemes map[string]Provider // by scheme, in lower case, without the colon
}

// MaxURI is the maximum length of a URI, in bytes.
const MaxURI = 8 << 10

// Read returns the contents that a URI names, for the result of resources/read.
func (s Set) Read(ctx context.Context, uri string) ([]Content, error) {
	p, err := s.Find("", uri)
	if err != nil {
		return nil, err
	}
	return Read(ctx, p, uri)
}

// Read reads a URI by a provider. When ctx has ended, its cause is the error, whatever the provider says.
func Read(ctx context.Context, p Provider, uri string) ([]Content, error) {
	contents, err := p.Read(ctx, uri)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return contents, err
}

// Find returns the provider of a URI: that of its scheme or, if name is not empty, the one with that
// name, which is a script of the project, or one of Schemes, of which "+https" may be left out.
func (s Set) Find(name, uri string) (Provider, error) {
	if err := checkURI(uri); err != nil {
		return nil, err
	}
	key := cmp.Or(name, schemeOf(uri))
	if p, ok := s.Scripts.Provider(key); ok {
		return p, nil
	}
	scheme := strings.ToLower(key)
	if _, ok := s.Schemes[scheme]; !ok && name != "" { // git, for example
		scheme += "+https"
	}
	switch p, ok := s.Schemes[scheme]; {
	case ok:
		return p, nil
	case name != "":
		return nil, fmt.Errorf("%w: unknown provider %q; correct the field provider in its metadata, "+
			"or add the provider to the project as providers/NAME.sh", ErrNotFound, name)
	}
	return nil, fmt.Errorf("%w: no provider for %q URIs; add one to the project as providers/%s.sh", ErrNotFound,
		scheme+":", scheme)
}

// checkURI refuses text that is not a URI of any scheme. Blanks and letters beyond ASCII, which
// ought to be percent-encoded, pass, since clients send them.
func checkURI(uri string) error {
	switch {
	case len(uri) > MaxURI:
		return fmt.Errorf("%w: it has %d bytes, the limit is %d", ErrBadURI, len(uri), MaxURI)
	case !utf8.ValidString(uri):
		return fmt.Errorf("%w: it is not valid UTF-8", ErrBadURI)
	case strings.ContainsFunc(uri, unicode.IsControl):
		return fmt.Errorf("%w: it contains a control character; percent-encode it", ErrBadURI)
	case schemeOf(uri) == "":
		return fmt.Errorf("%w: it must begin with a scheme, as in file:///path", ErrBadURI)
	}
	return nil
}

// schemeOf returns the scheme of a URI in lower case, empty if it has none. A single letter before
// a colon is a drive of Windows, so that is a file.
func schemeOf(uri string) string {
	scheme, _, ok := strings.Cut(uri, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case onWindows && files.Native(uri) != uri: // /c/x
		return "file"
	case !ok || !IsScheme(scheme):
		return ""
	case len(scheme) == 1:
		return "file"
	}
	return scheme
}

// IsScheme reports whether s is a scheme of RFC 3986, in lower case. A scheme is safe as a
// part of a file name.
func IsScheme(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
