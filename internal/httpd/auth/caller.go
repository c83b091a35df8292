package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// identity is the key of the [mcp.Caller] in the extras of a token.
const identity = "caller"

type knownKey struct{}

// Remember lets [Known] tell who has sent a request, also where it was refused after its token was accepted.
func Remember(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), knownKey{}, new(mcp.Caller))))
	})
}

// Known returns who has sent a request that has passed [Remember], as far as its token says.
func Known(r *http.Request) (caller mcp.Caller) {
	if known, _ := r.Context().Value(knownKey{}).(*mcp.Caller); known != nil {
		caller = *known
	}
	return caller
}

// remembered has the callers of the tokens that verify accepts remembered.
func remembered(verify auth.TokenVerifier) auth.TokenVerifier {
	return func(ctx context.Context, token string, r *http.Request) (*auth.TokenInfo, error) {
		info, err := verify(ctx, token, r)
		if known, _ := r.Context().Value(knownKey{}).(*mcp.Caller); known != nil && err == nil {
			*known, _ = info.Extra[identity].(mcp.Caller)
		}
		return info, err
	}
}

// User returns the user of an accepted request, by issuer and subject, "" if all clients share a secret.
func User(r *http.Request) string {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		return info.UserID
	}
	return ""
}

// Proxies are the addresses whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// ParseProxies reads addresses, and ranges of them as 10.0.0.0/8.
func ParseProxies(texts []string) (all Proxies, err error) {
	for _, text := range texts {
		one, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			one, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxy %s: must be an IP address, or a range as 10.0.0.0/8", text)
		}
		all = append(all, one.Masked())
	}
	return all, nil
}

// Identify puts who sends a request into its context, for [mcp.CallerOf]. It comes behind what accepts tokens.
func (p Proxies) Identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var caller mcp.Caller
		if info := auth.TokenInfoFromContext(r.Context()); info != nil {
			caller, _ = info.Extra[identity].(mcp.Caller)
		}
		caller.Address = p.Address(r)
		if parent := r.Header.Get("Traceparent"); parent != "" {
			caller.Trace = mcp.Trace{Parent: parent, State: strings.Join(r.Header.Values("Tracestate"), ","),
				Baggage: strings.Join(r.Header.Values("Baggage"), ",")}.Valid()
		}
		next.ServeHTTP(w, r.WithContext(mcp.WithCaller(r.Context(), caller)))
	})
}

// Address returns the address that a request came from. Each proxy appends the address that it was called from, so
// the last one that no trusted proxy has is the client's; what is before it the client may have written.
func (p Proxies) Address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	client := peer.Addr().Unmap().WithZone("")
	if !p.contain(client) {
		return client.String()
	}
	before := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for at := len(before) - 1; at >= 0 && p.contain(client); at-- {
		one, err := netip.ParseAddr(strings.TrimSpace(before[at]))
		if err != nil {
			break
		}
		client = one.Unmap().WithZone("")
	}
	return client.String()
}

func (p Proxies) contain(address netip.Addr) bool {
	for _, one := range p {
		if one.Contains(address) {
			return true
		}
	}
	return false
}
