package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Hosts decides which hosts may be connected to. The zero value allows none.
//
// An entry is a host name, an IP address, or "*.example.com" for every name that ends in
// ".example.com", which does not include example.com itself. Case is ignored. An entry may end in a
// port, as in "example.com:8443". In Allow, an entry without a port means port 443; in Deny, all
// ports.
type Hosts struct {
	Allow    []string
	Deny     []string // wins over Allow and AllowAll
	AllowAll bool     // every host that is not denied, and every port
}

// Check reports why the host of a URL is not allowed, with a [*HostError], or nil if it is. It does
// not look at addresses: that can be done only when a connection is made.
func (h Hosts) Check(u *url.URL) error {
	switch host, port := u.Hostname(), u.Port(); {
	case listed(h.Deny, host, port, ""):
		return &HostError{Host: u.Host, Denied: true}
	case h.AllowAll || listed(h.Allow, host, port, usualPort):
		return nil
	}
	return &HostError{Host: u.Host}
}

const usualPort = "443"

// listed reports whether an entry matches a host and port. For an entry without a port the port is
// unnamed; if that is empty too, it matches all ports.
func listed(entries []string, host, port, unnamed string) bool {
	port = cmp.Or(port, usualPort)
	for _, e := range entries {
		name, named := splitPort(e)
		named = cmp.Or(named, unnamed)
		if (named == "" || named == port) && matches(name, canonical(host)) {
			return true
		}
	}
	return false
}

func matches(name, host string) bool {
	suffix, wild := strings.CutPrefix(name, "*")
	if !wild {
		return canonical(name) == host
	}
	suffix = canonical(suffix)
	return len(suffix) > 1 && suffix[0] == '.' && strings.HasSuffix(host, suffix)
}

// splitPort splits the port from the end of an entry. The colons of an IPv6 address do not start a
// port, unless the address is in brackets.
func splitPort(entry string) (name, port string) {
	if at := strings.LastIndexByte(entry, ':'); at >= 0 &&
		(strings.Count(entry, ":") == 1 || strings.HasSuffix(entry[:at], "]")) {
		return entry[:at], entry[at+1:]
	}
	return entry, ""
}

// canonical returns the spelling of a host that is used for comparison.
func canonical(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return a.String()
	}
	return host
}

// ParseHosts parses entries of [Hosts] separated by commas or blanks, as in environment variables.
// An entry that no host could match is an error.
func ParseHosts(list string) ([]string, error) {
	entries := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
	for i, e := range entries {
		if err := checkEntry(e); err != nil {
			return nil, fmt.Errorf("entry %d, %q: %w; write a host name such as example.com or *.example.com", i+1, e, err)
		}
	}
	return entries, nil
}

func checkEntry(e string) error {
	host, port := splitPort(e)
	if _, err := strconv.ParseUint(port, 10, 16); err != nil && host != e {
		return errors.New("invalid port after the colon")
	}
	name := strings.TrimPrefix(host, "*.")
	if _, err := netip.ParseAddr(name); err == nil && name != host {
		return errors.New("* cannot stand for part of an IP address")
	}
	return checkHost(strings.Trim(name, "[]"))
}

// ParseURL parses a URL that can be fetched: https, with a host, without a user or password. It
// refuses hosts whose spelling could be taken for something else: numbers that old resolvers read
// as IP addresses (2130706433, 0x7f.1, 017700000001), IPv4 inside IPv6, zones, and letters beyond
// ASCII. Every error is an [ErrURL]. The host of the result is in lower case and has no trailing
// dot.
func ParseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: is not well-formed", ErrURL)
	}
	switch {
	case u.Scheme != "https":
		return nil, fmt.Errorf("%w: must use https://", ErrURL)
	case u.User != nil:
		return nil, fmt.Errorf("%w: must not contain a user name or password", ErrURL)
	}
	host := u.Hostname()
	if err := checkHost(host); err != nil {
		return nil, fmt.Errorf("%w: host %q: %w", ErrURL, host, err)
	}
	port := u.Port()
	if strings.Contains(host, ":") {
		u.Host = "[" + canonical(host) + "]"
	} else {
		u.Host = canonical(host)
	}
	if port != "" {
		u.Host += ":" + port
	}
	return u, nil
}

// checkHost accepts host names of ASCII letters, digits, hyphens and underscores, and IP
// addresses in their usual form.
func checkHost(host string) error {
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Is4In6() || a.Zone() != "" {
			return errors.New("an unusual spelling of an IP address")
		}
		return nil
	}
	name := strings.TrimSuffix(host, ".")
	if name == "" || len(name) > 253 {
		return errors.New("empty or longer than 253 characters")
	}
	label := ""
	for label = range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return errors.New("a label is empty or longer than 63 characters")
		}
		for _, r := range label {
			if r >= 0x80 {
				return errors.New("non-ASCII letters; use the xn-- form")
			}
			if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", r) {
				return fmt.Errorf("%q is not allowed in a host name", r)
			}
		}
	}
	if isNumber(label) {
		return errors.New("an unusual spelling of an IP address")
	}
	return nil
}

// isNumber reports whether the last label of a host makes it an IPv4 address for resolvers that
// accept every spelling of a number.
func isNumber(label string) bool {
	if len(label) > 1 && (label[:2] == "0x" || label[:2] == "0X") {
		return strings.Trim(label[2:], "0123456789abcdefABCDEF") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}
