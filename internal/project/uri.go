package project

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/yosida95/uritemplate/v3"
)

// uriBytes is the longest URI or URI template: matching takes time.
const uriBytes = 2 << 10

// fileURI is the file: URI of an absolute path (RFC 8089).
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// uri reads a URI; empty when absent.
func (o object) uri() string {
	m, ok := o.typed("uri", '"')
	if !ok {
		return ""
	}
	uri := unquote(m.value)
	const hint = "write scheme:rest as RFC 3986 has it, as in notes://today or file:///data/a%20b.txt"
	switch parsed, err := url.Parse(uri); {
	case len(uri) > uriBytes:
		o.refuse(m, "is too long for a URI", "")
	case err != nil || parsed.Scheme == "":
		o.refuse(m, "is not a URI", hint)
	case strings.ContainsFunc(uri, outsideURIs):
		o.refuse(m, "has characters that no URI may have", "percent-encode them: a blank is %20")
	}
	return uri
}

func outsideURIs(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^`+"`{|}", r)
}

// uriTemplate reads a URI template, which must be there (RT-01).
func (o object) uriTemplate() string {
	m, ok := o.typed("uriTemplate", '"')
	if !ok {
		return ""
	}
	text := unquote(m.value)
	const hint = "write it as RFC 6570 has it, as in notes://{day}"
	template, err := uritemplate.New(text)
	switch {
	case len(text) > uriBytes:
		o.refuse(m, "is too long for a URI template", "")
	case err != nil:
		o.refuse(m, "is not a URI template: "+strings.TrimPrefix(err.Error(), "uritemplate:"), hint)
	case len(template.Varnames()) == 0:
		o.refuse(m, "has no {variable}", hint+"; what has none is a uri")
	case !strings.Contains(text, ":"):
		o.refuse(m, "has no scheme", hint)
	}
	return text
}

// providerOf is what serves a URI where nobody says.
func providerOf(uri string) string {
	scheme, _, _ := strings.Cut(uri, ":")
	if scheme = strings.ToLower(scheme); scheme == "git+https" {
		return "git"
	}
	return scheme
}
