package streamable_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
)

// claim is the metadata of a request of 2026-07-28.
const claim = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// claiming is a call of 2026-07-28, with these params, each with a comma behind it.
func claiming(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + claim + `}}`
}

// modern is a client of 2026-07-28.
func modern(t *testing.T, server *puppet) *peer {
	t.Helper()
	return &peer{t: t, url: serve(t, httpdtest.Handler(t, server)), version: "2026-07-28"}
}

func TestARequestWithoutASessionIsServedByAServerOfItsOwn(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := modern(t, server)
	r := p.post(claiming("echo", ""),
		"Mcp-Method", "echo",
		"Mcp-Session-Id", "of an older revision",
		"Last-Event-ID", "1-1")
	is.Equal(r.StatusCode, 200)
	is.Equal(r.Header.Get("Content-Type"), "application/json")
	is.Equal(r.Header.Get("Mcp-Session-Id"), "") // nor is one echoed
	is.True(strings.HasPrefix(body(t, r), `{"jsonrpc":"2.0","id":1,"result":`))
	<-server.ends // and that is its end
	is.Equal(code(p.do("GET", "")), 405)
	is.Equal(code(p.do("DELETE", "")), 405)
	is.Equal(p.do("GET", "").Header.Get("Allow"), "POST")
	is.Equal(code(p.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)), 202)
	is.Equal(code(p.post(`{"jsonrpc":"2.0","id":1,"result":{}}`)), 400) // a response to nothing
	is.Equal(code(p.post(`[]`)), 400)
}

func TestEachUserHasALimitOfRequestsWithoutASession(t *testing.T) {
	is := is.New(t)
	h := httpdtest.Handler(t, newPuppet())
	h.Rate = session.NewRate(2)
	h.Owner = func(r *http.Request) string { return r.Header.Get("User") }
	var refused []string
	h.Overloaded = func(limit string) { refused = append(refused, limit) }
	p := &peer{t: t, url: serve(t, h), version: "2026-07-28"}
	ask := func(user string) *http.Response {
		return p.post(claiming("echo", ""), "Mcp-Method", "echo", "User", user)
	}
	for range 2 {
		is.Equal(code(ask("a")), 200)
	}
	third := ask("a")
	is.Equal(third.StatusCode, 429)
	is.Equal(third.Header.Get("Retry-After"), "5")
	is.Equal(body(t, third), `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,`+
		`"message":"Too many calls: at most 2 a minute; try again later"}}`)
	is.Equal(code(ask("b")), 200)
	is.Equal(refused, []string{"calls"})
}

func TestHeadersMustSayWhatTheBodySays(t *testing.T) {
	server := newPuppet()
	h := httpdtest.Handler(t, server)
	h.Schema = func(_ context.Context, tool string) (json.RawMessage, error) {
		return json.RawMessage(`{"type":"object","properties":{
			"any":true,
			"odd":{"x-mcp-header":1,"properties":7},
			"region":{"type":"string","x-mcp-header":"Region"},
			"count":{"type":"integer","x-mcp-header":"Count"},
			"deep":{"type":"object","properties":{"on":{"type":"boolean","x-mcp-header":"On"}}}}}`), nil
	}
	p := &peer{t: t, url: serve(t, h), version: "2026-07-28"}
	call := func(arguments string) string {
		return claiming("tools/call", `"name":"grüßen","arguments":`+arguments+`,`)
	}
	const name = "=?base64?Z3LDvMOfZW4=?="
	for _, c := range []struct {
		what, body string
		headers    []string
		ok         bool
	}{
		{"all", call(`{}`), nil, true},
		{"in another case", call(`{}`), []string{"mCP-nAME", name}, true},
		{"no version", call(`{}`), []string{"MCP-Protocol-Version", "-"}, false},
		{"an older version", call(`{}`), []string{"MCP-Protocol-Version", "2025-11-25"}, false},
		{"no method", call(`{}`), []string{"Mcp-Method", "-"}, false},
		{"another method", call(`{}`), []string{"Mcp-Method", "tools/list"}, false},
		{"a method in another case", call(`{}`), []string{"Mcp-Method", "Tools/Call"}, false},
		{"no name", call(`{}`), []string{"Mcp-Name", "-"}, false},
		{"another name", call(`{}`), []string{"Mcp-Name", "greet"}, false},
		{"a name that is not base64", call(`{}`), []string{"Mcp-Name", "=?base64?!?="}, false},
		{"a name that is not ASCII", call(`{}`), []string{"Mcp-Name", "grüßen"}, false},
		{"no argument", call(`{"region":null}`), nil, true},
		{"an argument", call(`{"region":"us west"}`), []string{"Mcp-Param-Region", "us west"}, true},
		{"an encoded argument", call(`{"region":"Hello"}`), []string{"Mcp-Param-Region", "=?base64?SGVsbG8=?="}, true},
		{"half an encoding", call(`{"region":"=?base64?SGVsbG8="}`), []string{"Mcp-Param-Region", "=?base64?SGVsbG8="}, true},
		{"bad padding", call(`{"region":"Hello"}`), []string{"Mcp-Param-Region", "=?base64?SGVsbG8?="}, false},
		{"another value", call(`{"region":"a"}`), []string{"Mcp-Param-Region", "b"}, false},
		{"a value in another case", call(`{"region":"a"}`), []string{"Mcp-Param-Region", "A"}, false},
		{"no header", call(`{"region":"a"}`), nil, false},
		{"a header for nothing", call(`{}`), []string{"Mcp-Param-Region", "a"}, false},
		{"a number", call(`{"count":42}`), []string{"Mcp-Param-Count", "42.0"}, true},
		{"another number", call(`{"count":42}`), []string{"Mcp-Param-Count", "43"}, false},
		{"a number in another form", call(`{"count":1e1}`), []string{"Mcp-Param-Count", "10"}, true},
		{"a number with an exponent", call(`{"count":1200}`), []string{"Mcp-Param-Count", "0.0120E+5"}, true},
		{"a number with another sign", call(`{"count":42}`), []string{"Mcp-Param-Count", "-42"}, false},
		{"a number with a sign", call(`{"count":42}`), []string{"Mcp-Param-Count", "+42"}, false},
		{"a number with a zero", call(`{"count":42}`), []string{"Mcp-Param-Count", "042"}, false},
		{"a binary number", call(`{"count":42}`), []string{"Mcp-Param-Count", "0b101010"}, false},
		{"half a number", call(`{"count":42}`), []string{"Mcp-Param-Count", "42."}, false},
		{"no number", call(`{"count":true}`), []string{"Mcp-Param-Count", "1"}, false},
		{"zero", call(`{"count":0}`), []string{"Mcp-Param-Count", "-0.00e7"}, true},
		{"a number with many digits", call(`{"count":1` + strings.Repeat("0", 5000) + `}`),
			[]string{"Mcp-Param-Count", "1e5000"}, true},
		{"a number that is huge in both", call(`{"count":1e999999999}`), []string{"Mcp-Param-Count", "10e999999998"}, true},
		{"a number that is beyond huge", call(`{"count":1e99999999999999999999}`),
			[]string{"Mcp-Param-Count", "10e99999999999999999998"}, false},
		{"a number that is huge", call(`{"count":1}`), []string{"Mcp-Param-Count", "1e999999999"}, false},
		{"a deep one", call(`{"deep":{"on":true}}`), []string{"Mcp-Param-On", "true"}, true},
		{"another deep one", call(`{"deep":{"on":true}}`), []string{"Mcp-Param-On", "false"}, false},
		{"a header that no argument has", call(`{}`), []string{"Mcp-Param-Other", "x"}, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			is := is.New(t)
			if c.ok {
				go func() { server.say(string((<-server.got).Refuse(context.Canceled).Line()), "") }()
			}
			p.t = t
			r := p.post(c.body, append([]string{"Mcp-Method", "tools/call", "Mcp-Name", name}, c.headers...)...)
			text := body(t, r)
			is.Equal(r.StatusCode == 200, c.ok)
			is.Equal(strings.Contains(text, `"id":1,"error":{"code":-32020,"message":"Header mismatch: `), !c.ok)
		})
	}
}

func TestAHeaderThatOccursTwiceIsRefused(t *testing.T) {
	url := serve(t, httpdtest.Handler(t, newPuppet()))
	for _, header := range []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
		is := is.New(t)
		r, err := http.NewRequestWithContext(t.Context(), "POST", url,
			strings.NewReader(claiming("tools/call", `"name":"a",`)))
		is.NoErr(err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "a",
		} {
			r.Header.Set(name, value)
		}
		r.Header.Add(header, "b") // by which a proxy may have routed it
		a, err := http.DefaultClient.Do(r)
		is.NoErr(err)
		is.True(strings.Contains(body(t, a), "Header mismatch: the header "+header+" occurs 2 times"))
		is.NoErr(a.Body.Close())
		is.Equal(a.StatusCode, 400)
	}
}

func TestARequestThatCannotBeServedHasItsStatusAndCode(t *testing.T) {
	for name, c := range map[string]struct {
		version, body, method string
		status                int
		want                  string
	}{
		"an unknown version": {
			"2099-01-01",
			`{"jsonrpc":"2.0","id":1,"method":"echo",` +
				`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`,
			"echo",
			400,
			`"code":-32022,"message":"Unsupported protocol version",` +
				`"data":{"requested":"2099-01-01","supported":["2026-07-28",`,
		},
		"no metadata": {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"echo"}`, "echo", 400, `"code":-32602`},
		"half of them": {
			"2026-07-28",
			`{"jsonrpc":"2.0","id":1,"method":"echo",` +
				`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			"echo",
			400,
			`"code":-32602`,
		},
		"no such method": {"2026-07-28", claiming("none", ""), "none", 404, `"code":-32601`},
		"a capability":   {"2026-07-28", claiming("able", ""), "able", 400, `"code":-32021`},
		"params":         {"2026-07-28", claiming("odd", ""), "odd", 200, `"code":-32602`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			server := newPuppet()
			p := modern(t, server)
			codes := map[string]string{"none": "-32601", "able": "-32021", "odd": "-32602"}
			if fault := codes[c.method]; fault != "" {
				go func() {
					<-server.got
					server.say(`{"jsonrpc":"2.0","id":1,"error":{"code":`+fault+`,"message":"x"}}`, "")
				}()
			}
			r := p.post(c.body, "MCP-Protocol-Version", c.version, "Mcp-Method", c.method)
			is.Equal(r.StatusCode, c.status)
			is.True(strings.Contains(body(t, r), c.want))
		})
	}
}

func TestNotificationsOfARequestComeOnItsStreamWithoutIDs(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := modern(t, server)
	ready := make(chan *stream)
	go func() {
		ready <- events(t, p.post(claiming("slow", ""), "Mcp-Method", "slow"))
	}()
	<-server.got
	server.say(`{"jsonrpc":"2.0","method":"x"}`, "1")
	of := <-ready
	is.Equal(of.next(), `{"jsonrpc":"2.0","method":"x"}`)
	is.Equal(of.r.Header.Get("X-Accel-Buffering"), "no")
	server.say(`{"jsonrpc":"2.0","id":1,"result":{}}`, "1")
	is.Equal(of.next(), `{"jsonrpc":"2.0","id":1,"result":{}}`)
	is.Equal(of.next(), "")
}

func TestWhenTheServerEndsAStreamOfChangesEndsAndACallIsAnswered(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	h := httpdtest.Handler(t, server)
	ending, end := context.WithCancel(t.Context())
	h.Ending = ending
	p := &peer{t: t, url: serve(t, h), version: "2026-07-28"}
	open := func(method, first string) *stream {
		ready := make(chan *stream)
		go func() {
			ready <- events(t, p.post(claiming(method, ""), "Mcp-Method", method))
		}()
		<-server.got
		server.say(first, "1")
		of := <-ready
		is.Equal(of.next(), first)
		return of
	}
	changes := open("subscriptions/listen", `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`)
	call := open("slow", `{"jsonrpc":"2.0","method":"x"}`)
	end()
	is.Equal(changes.next(), "")
	server.say(`{"jsonrpc":"2.0","id":1,"result":{}}`, "1")
	is.Equal(call.next(), `{"jsonrpc":"2.0","id":1,"result":{}}`)
}

func TestToDisconnectIsToCancelARequestWithoutASession(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := modern(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", p.url, strings.NewReader(claiming("slow", "")))
	is.NoErr(err)
	for name, value := range map[string]string{
		"Content-Type":         "application/json",
		"Accept":               "*/*",
		"MCP-Protocol-Version": "2026-07-28",
		"Mcp-Method":           "slow",
	} {
		r.Header.Set(name, value)
	}
	failed := make(chan error)
	go func() {
		_, err := http.DefaultClient.Do(r)
		failed <- err
	}()
	<-server.got
	cancel()
	is.True(<-failed != nil)
	<-server.ends // its server is closed, and so the request is cancelled
}

func TestARequestWhoseServerEndsFails(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := modern(t, server)
	go func() {
		<-server.got
		server.all[0].Close()
	}()
	r := p.post(claiming("slow", ""), "Mcp-Method", "slow")
	is.Equal(body(t, r), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: the server is gone"}}`)
}

// refusing opens no connection.
type refusing struct{ error }

func (r refusing) Open(string, backend.Receiver) (backend.Conn, error) { return nil, r.error }

func TestARequestThatNoServerCanTakeNowIsToBeRepeated(t *testing.T) {
	for why, limit := range map[error]string{backend.ErrPoolFull: "processes", backend.ErrUnlisted: ""} {
		is := is.New(t)
		h := httpdtest.Handler(t, refusing{why})
		reached := ""
		h.Overloaded = func(limit string) { reached = limit }
		h.Schema = func(context.Context, string) (json.RawMessage, error) {
			if why == backend.ErrUnlisted {
				return nil, why
			}
			return nil, nil
		}
		p := &peer{t: t, url: serve(t, h), version: "2026-07-28"}
		r := p.post(claiming("tools/call", `"name":"a",`), "Mcp-Method", "tools/call", "Mcp-Name", "a")
		is.Equal(r.StatusCode, 503)
		is.Equal(r.Header.Get("Retry-After"), "5")
		is.True(strings.Contains(body(t, r), why.Error()))
		is.Equal(reached, limit)
	}
}

func TestAClientThatDisconnectsIsNoFailure(t *testing.T) {
	is := is.New(t)
	var log strings.Builder
	h := httpdtest.Handler(t, newPuppet())
	h.Log = slog.New(slog.NewTextHandler(&log, nil))
	ctx, disconnect := context.WithCancel(t.Context())
	h.Schema = func(ctx context.Context, _ string) (json.RawMessage, error) {
		disconnect()
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	r := httptest.NewRequestWithContext(ctx, "POST", "/mcp", strings.NewReader(claiming("tools/call", `"name":"a",`)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	h.ServeHTTP(httptest.NewRecorder(), r)
	is.Equal(log.String(), "")
}
