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

// A Set reads any URI, each with the provider that it belongs to: the first template that it
// matches, else Name, else the project's own script for its scheme, else Schemes. The zero value
// reads nothing.
type Set struct {
	Templates []*Template
	Scripts   Scripts
	Schemes   map[string]Provider // by scheme, in lower case, without the colon
	// Name is the provider of all URIs, whatever their schemes: a script of the project, or a name or
	// scheme of [BuiltIn] that is in Schemes; empty: that of the scheme.
	Name string
	// MimeType returns the MIME type in the project's metadata for a URI, empty if there is none;
	// nil: there never is. It takes precedence over the detected type.
	MimeType func(uri string) string
}

// MaxURI is the maximum length of a URI, in bytes.
const MaxURI = 8 << 10

// Read returns the contents that a URI names, for the result of resources/read.
func (s Set) Read(ctx context.Context, uri string) ([]Content, error) {
	if err := checkURI(uri); err != nil {
		return nil, err
	}
	p, err := s.provider(uri)
	if err != nil {
		return nil, err
	}
	contents, err := p.Read(ctx, uri)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	if s.MimeType != nil {
		for i := range contents {
			if declared := s.MimeType(contents[i].URI); declared != "" {
				contents[i].MimeType = declared
			}
		}
	}
	return contents, nil
}

func (s Set) provider(uri string) (Provider, error) {
	for _, t := range s.Templates {
		if t.Matches(uri) {
			return t, nil
		}
	}
	if s.Name != "" {
		return s.named()
	}
	scheme := schemeOf(uri)
	if p, ok := s.Scripts.Provider(scheme); ok {
		return p, nil
	}
	if p, ok := s.Schemes[scheme]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("%w: no provider for %q URIs; add one to the project as providers/%s.sh", ErrNotFound, scheme+":", scheme)
}

func (s Set) named() (Provider, error) {
	if p, ok := s.Scripts.Provider(s.Name); ok {
		return p, nil
	}
	name := strings.ToLower(s.Name)
	if p, ok := s.Schemes[cmp.Or(builtIn[name], name)]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("%w: unknown provider %q; correct the field provider in its metadata, or add the provider to the project as providers/NAME.sh", ErrNotFound, s.Name)
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
	case !ok || !isScheme(scheme):
		return ""
	case len(scheme) == 1:
		return "file"
	}
	return scheme
}

// isScheme reports whether s is a scheme of RFC 3986, in lower case. A scheme is safe as a
// part of a file name.
func isScheme(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
