package fetch

import (
	"cmp"
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"syscall"
)

// Public reports whether an address belongs to the public internet: a unicast address that is
// neither this machine's, nor in a private network, nor reserved by IANA for a special purpose.
// Ranges that embed another address (NAT64, 6to4, Teredo) are not public, as it could be private.
// An IPv4 address in IPv6 form is judged as the IPv4 address.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	if a.Is6() && !globalUnicast.Contains(a) { // prefixes never contain an address with a zone
		return false // ::1, fe80::/10, fc00::/7, ff00::/8, 64:ff9b::/96 and all that is not assigned
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}

// globalUnicast contains all public IPv6 addresses.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// special are the ranges of the IANA special-purpose registries that are not globally
// reachable, and multicast.
var special = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by carriers (CGNAT)
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, metadata services of clouds
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, broadcast

	"2001::/23",     // protocol assignments, Teredo
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4
	"3fff::/20",     // documentation
)

func prefixes(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, p := range list {
		all[i] = netip.MustParsePrefix(p)
	}
	return all
}

// Resolve returns the addresses of a host. If one of them is not public, the error is [ErrAddress];
// if there are none, a [*NetworkError]. A program that connects by itself later is safe only if it
// is restricted to these addresses.
func Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return network{}.resolve(ctx, host)
}

// network is replaced by tests. The zero value is the real network.
type network struct {
	public   func(netip.Addr) bool // nil: Public
	resolver *net.Resolver         // nil: the system's
	roots    *x509.CertPool        // nil: the system's
}

func (n network) allows(a netip.Addr) bool {
	if n.public != nil {
		return n.public(a)
	}
	return Public(a)
}

// dialer connects to public addresses only.
func (n network) dialer() *net.Dialer {
	return &net.Dialer{
		Resolver: n.resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || !n.allows(to.Addr()) {
				return ErrAddress
			}
			return nil
		},
	}
}

func (n network) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	found, err := cmp.Or(n.resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host)
	switch {
	case ctx.Err() != nil: // the resolver may have been faster
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, explain(host, err)
	}
	for i, a := range found {
		found[i] = a.Unmap()
		if !n.allows(a) {
			return nil, notPublic(host)
		}
	}
	if len(found) == 0 {
		return nil, &NetworkError{Host: host, Reason: "it has no address", Lasting: true}
	}
	return found, nil
}
