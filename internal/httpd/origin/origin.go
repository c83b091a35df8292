// Package origin refuses requests of web pages that may not use a server. With each request a browser
// sends the origin of the page, and the host name of the server.
package origin

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Policy decides which requests are accepted. The zero value accepts requests to a loopback address
// or name that come from no page, or from a page of a loopback address or name.
type Policy struct {
	// Origins are the origins of further pages that may use the server, such as
	// https://inspector.example: scheme, host, and port unless it is the default of the scheme.
	Origins []string
	// Hosts are further names of the server, without a port.
	Hosts []string
}

// Parse returns the policy for origins and hosts as an operator writes them.
func Parse(origins, hosts []string) (Policy, error) {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" ||
			u.User != nil {
			return Policy{}, fmt.Errorf("origin %q: must be a scheme and a host, and a port if need be, as in "+
				"https://example.com", o)
		}
	}
	for _, h := range hosts {
		if h == "" || strings.ContainsAny(h, "/@ ") || hostname(h) != strings.Trim(h, "[]") {
			return Policy{}, fmt.Errorf("host %q: must be a name or an address, without scheme and port", h)
		}
	}
	return Policy{Origins: origins, Hosts: hosts}, nil
}

// Handler refuses with 403 what the policy does not accept. The browser may show next's responses to
// accepted pages (CORS).
func (p Policy) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.host(r.Host) {
			refuse(w, fmt.Sprintf("the Host %q is not a name of this server", r.Host))
			return
		}
		from := r.Header.Values("Origin")
		if len(from) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Add("Vary", "Origin")
		if len(from) > 1 || !p.origin(from[0]) {
			refuse(w, fmt.Sprintf("pages of the Origin %q may not use this server", strings.Join(from, ", ")))
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", from[0])
		h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
			h.Set("Access-Control-Allow-Headers", strings.Join(append(requestHeaders, paramHeaders(r)...), ", "))
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requestHeaders are the headers that pages may send.
var requestHeaders = []string{"Authorization", "Content-Type", "Accept", "Last-Event-ID", "Mcp-Session-Id",
	"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"}

// paramHeaders returns the headers for arguments of tools that a page wants to send. Any name may
// follow their prefix.
func paramHeaders(r *http.Request) (all []string) {
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		if name = strings.TrimSpace(name); strings.HasPrefix(strings.ToLower(name), "mcp-param-") {
			all = append(all, name)
		}
	}
	return all
}

func refuse(w http.ResponseWriter, why string) {
	message.Refuse(w, http.StatusForbidden, pipeline.ID{}, fmt.Errorf("%w: %s", pipeline.ErrInvalidRequest, why))
}

// host reports whether the server may be called by this name.
func (p Policy) host(host string) bool {
	name := hostname(host)
	return loopback(name) || slices.ContainsFunc(p.Hosts,
		func(h string) bool { return strings.EqualFold(strings.Trim(h, "[]"), name) })
}

// origin reports whether pages of an origin are accepted.
func (p Policy) origin(from string) bool {
	if slices.ContainsFunc(p.Origins, func(o string) bool { return strings.EqualFold(o, from) }) {
		return true
	}
	u, err := url.Parse(from)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && loopback(u.Hostname())
}

// hostname returns a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// loopback reports whether a name or address is a loopback one.
func loopback(name string) bool {
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// Loopback reports whether an address to listen on, host:port, can be reached from this machine only.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback(host)
}
