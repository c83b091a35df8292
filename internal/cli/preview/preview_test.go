package preview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"
)

// A fake is a server with a page that declares the origins in csp.
type fake struct {
	csp, kind string
	calls     []string
}

func (f *fake) Call(_ context.Context, method string, params map[string]any) (json.RawMessage, error) {
	switch method {
	case "tools/list":
		if params["cursor"] == nil {
			return json.RawMessage(`{"tools":[{"name":"plain"},{"name":"hidden","_meta":{"ui":{"visibility":["model"]}}}],"nextCursor":"2"}`), nil
		}
		return json.RawMessage(`{"tools":[{"name":"show","_meta":{"ui":{"resourceUri":"ui://s/show"}}}]}`), nil
	case "resources/read":
		return json.RawMessage(fmt.Sprintf(`{"contents":[{"mimeType":%q,"text":"<p>page","_meta":{"ui":{%s}}}]}`, f.kind, f.csp)), nil
	}
	b, _ := json.Marshal(params) // it was JSON
	f.calls = append(f.calls, method+string(b))
	if params["name"] == "show" && params["arguments"] == nil {
		return nil, &jsonrpc2.Error{Code: -32602, Message: "no arguments"}
	}
	return json.RawMessage(`{"content":[]}`), nil
}

const app = "text/html;profile=mcp-app"

func hostOf(t *testing.T, f *fake) *Host {
	t.Helper()
	if f.kind == "" {
		f.kind = app
	}
	h, err := Open(t.Context(), f, "show", map[string]any{"n": 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4321})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request, and returns the status and the body of the answer, and its policy.
func (h *Host) ask(method, path, body string, header ...string) (status int, answer, policy string) {
	r := httptest.NewRequest(method, "http://"+h.host+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	b, _ := io.ReadAll(w.Result().Body) // a recorder does not fail
	return w.Code, strings.TrimSpace(string(b)), w.Header().Get("Content-Security-Policy")
}

func TestRequestsWithoutTheSecretAreRefused(t *testing.T) {
	is := is.New(t)
	h := hostOf(t, &fake{})
	code := func(method, path string, header ...string) int {
		status, _, _ := h.ask(method, path, `{"method":"ping"}`, header...)
		return status
	}
	own := "/" + h.token + "/"
	is.Equal(code("GET", own), http.StatusOK)
	is.Equal(code("POST", own+"call"), http.StatusOK)
	for _, path := range []string{"/", "/x/", "/call", "/x/call", "/x/start", "/" + h.pageToken + "/", "/" + h.pageToken + "/call", own + "page"} {
		is.True(code("GET", path) >= 300) // some lead to a path with a slash
		is.True(code("POST", path) >= 300)
	}
	is.Equal(code("GET", own, "Host", "evil.example:4321"), http.StatusMisdirectedRequest) // a name that leads here
	is.Equal(code("POST", own+"call", "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
	is.Equal(code("POST", own+"call", "Origin", "null"), http.StatusForbidden) // that of the page in its frame
	is.Equal(code("POST", own+"call", "Origin", "http://"+h.host), http.StatusOK)
}

func TestAnAddressForACommandLineWorksOnce(t *testing.T) {
	is := is.New(t)
	h := hostOf(t, &fake{})
	path := strings.TrimPrefix(h.OnceURL(), "http://"+h.host)
	is.True(!strings.Contains(path, h.token))
	status, _, _ := h.ask("GET", "/once/other/", "")
	is.Equal(status, http.StatusGone)
	status, body, _ := h.ask("GET", path, "")
	is.Equal(status, http.StatusSeeOther)
	is.True(strings.Contains(body, h.token))
	status, body, _ = h.ask("GET", path, "")
	is.Equal(status, http.StatusGone)
	is.True(!strings.Contains(body, h.token))
}

func TestPagesGetThePolicyOfTheExtension(t *testing.T) {
	const rest = "; sandbox allow-scripts"
	const strict = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; base-uri 'self'; object-src 'none'"
	for _, c := range []struct{ csp, want string }{
		{``, strict},
		{`"csp":{}`, strict},
		{`"csp":{"connectDomains":["https://api.example.com"],"resourceDomains":["https://*.cdn.example:8443"],"frameDomains":["https://f.example"],"baseUriDomains":["https://b.example"]}`,
			"default-src 'none'; script-src 'self' 'unsafe-inline' https://*.cdn.example:8443; style-src 'self' 'unsafe-inline' https://*.cdn.example:8443; img-src 'self' data: https://*.cdn.example:8443; media-src 'self' data: https://*.cdn.example:8443; connect-src https://api.example.com; frame-src https://f.example; base-uri https://b.example; object-src 'none'; font-src 'self' https://*.cdn.example:8443"},
		{`"csp":{"connectDomains":["*","https://a.example; script-src *","'unsafe-eval'","https://a b","data:"]}`, strict}, // nothing that ends a rule, or is no origin
	} {
		t.Run(c.csp, func(t *testing.T) {
			is := is.New(t)
			h := hostOf(t, &fake{csp: c.csp})
			status, body, policy := h.ask("GET", "/"+h.pageToken+"/page", "")
			is.Equal(status, http.StatusOK)
			is.Equal(body, "<p>page")
			is.Equal(policy, c.want+rest)
		})
	}
}

func TestAPageOfAnotherTypeIsNotShown(t *testing.T) {
	is := is.New(t)
	h := hostOf(t, &fake{kind: "text/html"})
	status, body, policy := h.ask("GET", "/"+h.pageToken+"/page", "")
	is.Equal(status, http.StatusBadGateway)
	is.Equal(body, `ui://s/show has the MIME type "text/html", want text/html;profile=mcp-app`)
	is.True(strings.Contains(policy, "default-src 'none'"))
}

func TestThePageCallsWhatPagesMayCall(t *testing.T) {
	f := &fake{}
	h := hostOf(t, f)
	for _, c := range []struct{ body, want string }{
		{`{"page":true,"method":"tools/call","params":{"name":"plain","arguments":{"id":12345678901234567890}}}`, `{"result":{"content":[]}}`},
		{`{"page":true,"method":"tools/call","params":{"name":"hidden"}}`, `{"error":{"code":-32602,"message":"pages may not call hidden: its _meta.ui.visibility lacks \"app\""}}`},
		{`{"page":true,"method":"tools/call","params":{"name":"show"}}`, `{"error":{"code":-32602,"message":"no arguments"}}`},
		{`{"page":true,"method":"tools/list"}`, `{"error":{"code":-32601,"message":"pages may not call tools/list"}}`},
		{`{"method":"tools/call","params":{"name":"hidden"}}`, `{"result":{"content":[]}}`}, // the host itself may
		{`{`, `unexpected EOF`},
	} {
		t.Run(c.body, func(t *testing.T) {
			is := is.New(t)
			_, body, _ := h.ask("POST", "/"+h.token+"/call", c.body)
			is.Equal(body, c.want)
		})
	}
	is := is.New(t)
	is.Equal(f.calls[0], `tools/call{"arguments":{"id":12345678901234567890},"name":"plain"}`) // as it was written
}

func TestWhatHasNoPage(t *testing.T) {
	is := is.New(t)
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	_, err := Open(t.Context(), &fake{}, "plain", nil, at)
	is.True(errors.Is(err, ErrNoPage))
	_, err = Open(t.Context(), &fake{}, "other", nil, at)
	is.True(errors.Is(err, ErrNoTool))
}

func TestTheHostServesUntilItIsStopped(t *testing.T) {
	is := is.New(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	h, err := Open(t.Context(), &fake{kind: app}, "show", nil, l.Addr())
	is.NoErr(err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, l) }()
	r, err := http.Get(h.URL() + "start")
	is.NoErr(err)
	body, err := io.ReadAll(r.Body)
	is.NoErr(err)
	is.NoErr(r.Body.Close())
	is.True(strings.Contains(string(body), `"arguments":{}`))
	stop()
	is.NoErr(<-served)
	_, err = http.Get(h.URL())
	is.True(err != nil)
}
