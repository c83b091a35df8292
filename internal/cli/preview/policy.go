package preview

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// domains are the origins that a page declares in _meta.ui.csp.
type domains struct {
	Connect  []string `json:"connectDomains"`
	Resource []string `json:"resourceDomains"`
	Frame    []string `json:"frameDomains"`
	BaseURI  []string `json:"baseUriDomains"`
}

// source matches what a policy may contain: an origin, perhaps with a wildcard as its first label. A
// space or a semicolon in it would begin another directive.
var source = lazyregexp.New(`^(?:(?:https?|wss?)://)?(?:\*\.)?[A-Za-z0-9.-]+(?::(?:[0-9]+|\*))?/?$`)

// policy returns the content security policy of a page. Without declared domains it is the
// restrictive default of the extension ("If ui.csp is omitted, Host MUST use" it); nothing but the
// declared domains is ever allowed.
func policy(declared *domains) string {
	d := domains{}
	if declared != nil {
		d = *declared
	}
	rules := []string{
		"default-src 'none'",
		rule("script-src 'self' 'unsafe-inline'", d.Resource),
		rule("style-src 'self' 'unsafe-inline'", d.Resource),
		rule("img-src 'self' data:", d.Resource),
		rule("media-src 'self' data:", d.Resource),
		either("connect-src", d.Connect, "'none'"),
		either("frame-src", d.Frame, "'none'"),
		either("base-uri", d.BaseURI, "'self'"),
		"object-src 'none'",
	}
	if len(d.Resource) > 0 {
		rules = append(rules, rule("font-src 'self'", d.Resource))
	}
	return strings.Join(rules, "; ")
}

// rule adds sources to a directive.
func rule(begin string, sources []string) string {
	for _, s := range sources {
		if source.Get().MatchString(s) {
			begin += " " + s
		}
	}
	return begin
}

// either returns a directive with the sources, or with other if there are none.
func either(name string, sources []string, other string) string {
	if r := rule(name, sources); r != name {
		return r
	}
	return name + " " + other
}
