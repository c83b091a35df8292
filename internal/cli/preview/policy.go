package preview

import (
	"regexp"
	"strings"
	"sync"
)

// domains are the origins that a page declares, _meta.ui.csp.
type domains struct {
	Connect  []string `json:"connectDomains"`
	Resource []string `json:"resourceDomains"`
	Frame    []string `json:"frameDomains"`
	BaseURI  []string `json:"baseUriDomains"`
}

// source is what a policy may name: an origin, perhaps with a wildcard for its first label. A
// space or a semicolon in it would begin another rule.
var source = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:https?|wss?)://)?(?:\*\.)?[A-Za-z0-9.-]+(?::(?:[0-9]+|\*))?/?$`)
})

// policy is the content security policy of a page. Without declared domains it is the restrictive
// default of the extension, which says "If ui.csp is omitted, Host MUST use" it; more than was
// declared is never allowed.
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

// rule adds sources to a rule.
func rule(begin string, sources []string) string {
	for _, s := range sources {
		if source().MatchString(s) {
			begin += " " + s
		}
	}
	return begin
}

// either is a rule of the sources, or of other if there are none.
func either(name string, sources []string, other string) string {
	if r := rule(name, sources); r != name {
		return r
	}
	return name + " " + other
}
