package auth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/auth"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestOnlyATrustedProxySaysWhereARequestCameFrom(t *testing.T) {
	is := is.New(t)
	proxies, err := auth.ParseProxies([]string{"10.0.0.0/8", "192.0.2.1", "::1"})
	is.NoErr(err)
	var caller mcp.Caller
	h := proxies.Identify(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { caller = mcp.CallerOf(r.Context()) }))
	for _, c := range []struct {
		peer, want string
		forwarded  []string
	}{
		{"198.51.100.7:1", "198.51.100.7", nil},
		{"198.51.100.7:1", "198.51.100.7", []string{"203.0.113.9"}}, // it is not one of our proxies
		{"10.1.2.3:1", "203.0.113.9", []string{"203.0.113.9"}},
		{"10.1.2.3:1", "203.0.113.9", []string{"127.0.0.1, 203.0.113.9"}}, // the first one is the client's claim
		{"10.1.2.3:1", "203.0.113.9", []string{"1.1.1.1, 203.0.113.9", "192.0.2.1"}},
		{"[::ffff:10.1.2.3]:1", "203.0.113.9", []string{"203.0.113.9"}},
		{"[::1]:1", "2001:db8::1", []string{"2001:db8::1"}},
		{"10.1.2.3:1", "10.1.2.3", []string{"203.0.113.9, unknown"}}, // nothing before it can be believed
		{"10.1.2.3:1", "10.1.2.3", nil},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		r.RemoteAddr = c.peer
		for _, one := range c.forwarded {
			r.Header.Add("X-Forwarded-For", one)
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
		is.Equal(caller.Address, c.want)
	}
	for _, text := range []string{"", "proxy", "10.0.0.0/33", "10.0.0.1:80"} {
		_, err := auth.ParseProxies([]string{text})
		is.Equal(err.Error(), "--trusted-proxy "+text+": must be an IP address, or a range as 10.0.0.0/8")
	}
}
