package download

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// A Policy says which hosts may be asked: those that are allowed, by the operator or by
// the request, and denied by neither. The zero value allows none.
//
// A host is a name such as "example.com", "*.example.com" for all names below it, or a
// name with a port other than 443, "example.com:8443". One without a port that is denied is
// denied on all ports.
type Policy struct {
	Allow, Deny []string
	AllowAll    bool // every host of the public internet that is not denied
}

// check returns the address to ask for a URL, or why it may not be asked.
func (p Policy) check(r Request) (*url.URL, error) {
	if r.URL == "" {
		return nil, &Error{Type: InvalidURL, Message: "--url is required"}
	}
	u, err := url.Parse(r.URL)
	switch {
	case err != nil:
		return nil, &Error{Type: InvalidURL, Message: "that is not a URL: " + err.Error()}
	case u.Scheme != "https":
		return nil, &Error{Type: InvalidURL, Message: "URL must use https://"}
	case u.Hostname() == "":
		return nil, &Error{Type: InvalidURL, Message: "URL has no host"}
	case u.User != nil:
		return nil, &Error{Type: InvalidURL, Message: "URL must not contain a user name or password"}
	}
	name := canonical(u.Hostname())
	host := name
	if port := u.Port(); port != "" && port != "443" {
		host = net.JoinHostPort(host, port)
	}
	allowed := p.AllowAll || covers(p.Allow, host) || covers(r.Allow, host)
	denied := slices.Concat(p.Deny, r.Deny)
	if covers(denied, host) || covers(denied, name) {
		return nil, &Error{Type: HostBlocked, Message: host + " is on a deny list"}
	}
	if !allowed {
		return nil, &Error{Type: HostBlocked, Message: host + " is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"}
	}
	return u, nil
}

func canonical(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

// covers reports whether one of the patterns stands for a host.
func covers(patterns []string, host string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = canonical(pattern)
		if below, ok := strings.CutPrefix(pattern, "*."); ok {
			return strings.HasSuffix(host, "."+below)
		}
		return pattern == host
	})
}
