package catalog

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/uritemplate"
)

// uriBytes is the maximal length of a URI. Templates do not match longer ones.
const uriBytes = uritemplate.MaxBytes

// uri reads a URI; empty when absent.
func (o object) uri() string {
	m, ok := o.typed("uri", '"')
	if !ok {
		return ""
	}
	uri := json.Text(m.Value)
	const hint = "write scheme:rest as RFC 3986 has it, as in notes://today or file:///data/a%20b.txt"
	scheme, _, _ := strings.Cut(encoded(uri), ":")
	switch parsed, err := url.Parse(escape.Get().ReplaceAllString(encoded(uri), "x")); {
	case len(uri) > uriBytes:
		o.refuse(m, "is too long for a URI", "")
	case err != nil || parsed.Scheme == "" || strings.Contains(scheme, "%"): // a scheme has no escapes
		o.refuse(m, "is not a URI", hint)
	case strings.ContainsFunc(uri, outsideURIs):
		uri = encoded(uri)
		o.warn(m, "has characters that no URI may have, so it is served as "+uri, "percent-encode them: a space is %20")
	}
	return uri
}

// escape matches an escape in a URI. Package url refuses escapes in a host, as in
// echo://hello%20world, which RFC 3986 allows.
var escape = lazyregexp.New(`%[0-9A-Fa-f]{2}`)

// encoded returns a URI with its invalid characters percent-encoded.
func encoded(uri string) string {
	var b strings.Builder
	for _, r := range uri {
		if !outsideURIs(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func outsideURIs(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^`+"`{|}", r)
}

// uriTemplate reads a URI template, which must be valid (RT-01).
func (o object) uriTemplate() (text string, template *uritemplate.Template) {
	m, ok := o.get("uriTemplate")
	if !ok || !o.strictly().isLike(m, '"', "") {
		return "", nil
	}
	text = json.Text(m.Value)
	const hint = "write it as RFC 6570 has it, as in notes://{day}"
	template, err := uritemplate.New(text)
	switch {
	case errors.Is(err, uritemplate.ErrSyntax):
		o.deny(m, err.Error(), hint)
	case err != nil:
		o.deny(m, err.Error(), "")
	case len(template.Variables()) == 0:
		o.deny(m, "has no {variable}", hint+"; what has none is a uri")
	case !strings.Contains(literalStart(text), ":"):
		o.deny(m, "has no scheme", hint)
	}
	return text, template
}

// literalStart returns the text that all URIs of a template begin with. It ends at a character that
// is not ASCII, because that is encoded in URIs.
func literalStart(template string) string {
	i := strings.IndexFunc(template, func(r rune) bool { return r == '{' || r > '~' })
	if i < 0 {
		return template
	}
	return template[:i]
}

// OtherProvider returns the provider that metadata names for a URI, empty if it is the usual one of its
// scheme.
func OtherProvider(provider, uri string) string {
	if strings.EqualFold(provider, providerOf(uri)) {
		return ""
	}
	return provider
}

// providerOf returns the default provider of a URI.
func providerOf(uri string) string {
	scheme, _, _ := strings.Cut(uri, ":")
	if scheme = strings.ToLower(scheme); scheme == "git+https" {
		return "git"
	}
	return scheme
}
