package origin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/origin"
)

var served = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })

func request(p origin.Policy, method, host string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/mcp", nil)
	r.Host = host
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.Handler(served).ServeHTTP(w, r)
	return w
}

func TestRequestsAreLetInByTheirHostAndOrigin(t *testing.T) {
	p, err := origin.Parse([]string{"https://inspector.example"}, []string{"mcp.example"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host, origin string
		in           bool
	}{
		{"127.0.0.1:8080", "", true},
		{"localhost:8080", "", true},
		{"LOCALHOST", "", true},
		{"[::1]:8080", "", true},
		{"[::1]", "", true},
		{"mcp.example", "", true},
		{"mcp.example:443", "", true},
		{"evil.example:8080", "", false}, // a name that resolves to this machine
		{"127.0.0.1.evil.example", "", false},
		{"localhost.evil.example", "", false},
		{"", "", false},
		{"localhost:8080", "http://localhost:8080", true},
		{"localhost:8080", "http://127.0.0.1:6274", true},
		{"localhost:8080", "https://inspector.example", true},
		{"localhost:8080", "http://inspector.example", false},
		{"localhost:8080", "https://inspector.example:8443", false},
		{"localhost:8080", "https://evil.example", false},
		{"localhost:8080", "http://localhost.evil.example", false},
		{"localhost:8080", "null", false},
		{"localhost:8080", "file://localhost", false},
		{"mcp.example", "http://mcp.example", false},
	} {
		var header []string
		if c.origin != "" {
			header = []string{"Origin", c.origin}
		}
		want := http.StatusForbidden
		if c.in {
			want = http.StatusTeapot
		}
		if got := request(p, "POST", c.host, header...).Code; got != want {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, got, want)
		}
	}
	if got := request(p, "POST", "localhost", "Origin", "http://localhost", "Origin", "https://evil.example").Code; got != http.StatusForbidden {
		t.Errorf("two origins: %d", got)
	}
}

func TestARefusalIsAnErrorWithoutAnID(t *testing.T) {
	is := is.New(t)
	w := request(origin.Policy{}, "POST", "evil.example")
	is.Equal(w.Body.String(), `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: the Host \"evil.example\" is not a name of this server"}}`)
}

func TestABrowserIsToldWhatAPageMaySend(t *testing.T) {
	is := is.New(t)
	w := request(origin.Policy{}, "OPTIONS", "localhost", "Origin", "http://localhost:6274",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type, mcp-param-region, x-other")
	is.Equal(w.Code, http.StatusNoContent)
	is.Equal(w.Header().Get("Access-Control-Allow-Origin"), "http://localhost:6274")
	is.Equal(w.Header().Get("Access-Control-Allow-Headers"), "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, mcp-param-region")
	is.Equal(w.Header().Get("Access-Control-Allow-Methods"), "GET, POST, DELETE")
	w = request(origin.Policy{}, "POST", "localhost", "Origin", "http://localhost:6274")
	is.Equal(w.Header().Get("Access-Control-Expose-Headers"), "Mcp-Session-Id, WWW-Authenticate")
}

func TestAnOriginOrHostThatNothingCouldMatchIsRefused(t *testing.T) {
	for _, bad := range []string{"example.com", "https://", "https://example.com/", "https://example.com/x", "https://me@example.com", "*"} {
		if _, err := origin.Parse([]string{bad}, nil); err == nil {
			t.Errorf("the origin %q is accepted", bad)
		}
	}
	for _, bad := range []string{"", "https://example.com", "example.com:80", "a b"} {
		if _, err := origin.Parse(nil, []string{bad}); err == nil {
			t.Errorf("the host %q is accepted", bad)
		}
	}
}

func TestAnAddressOfThisMachineAloneIsKnown(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:0": true, "[::1]:80": true, ":8080": false, "0.0.0.0:8080": false, "[::]:80": false, "192.0.2.1:80": false, "x": false,
	} {
		if got := origin.Loopback(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
