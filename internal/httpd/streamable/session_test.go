package streamable_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
)

const (
	echo        = `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}`
	slow        = `{"jsonrpc":"2.0","id":"s","method":"slow","params":{"_meta":{"progressToken":"p"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

var revisions = []string{"2025-03-26", "2025-06-18", "2025-11-25"}

func TestASessionHasAnIDFromInitializeUntilDelete(t *testing.T) {
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			p := meet(t, httpdtest.Handler(t, newPuppet()), version)
			is.True(len(p.id) >= 26)
			for _, c := range p.id {
				is.True(c > 0x20 && c < 0x7f) // visible ASCII
			}
			r := p.post(echo)
			is.Equal(r.Header.Get("Content-Type"), "application/json")
			is.Equal(body(t, r), `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)
			is.Equal(code(p.post(echo, "Mcp-Session-Id", "-")), 400)
			is.Equal(code(p.post(echo, "Mcp-Session-Id", "another")), 404)
			is.Equal(code(p.do("GET", "", "Mcp-Session-Id", "-")), 400)
			is.Equal(code(p.do("DELETE", "", "Mcp-Session-Id", "-")), 400)
			is.Equal(code(p.do("DELETE", "")), 204)
			is.Equal(code(p.post(echo)), 404) // it has ended
			is.Equal(code(p.do("GET", "")), 404)
			is.Equal(code(p.do("DELETE", "")), 404)
		})
	}
}

func TestASessionIsServedUnderItsRevisionAlsoWithoutTheHeader(t *testing.T) {
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			is := is.New(t)
			p := meet(t, httpdtest.Handler(t, newPuppet()), version)
			for _, method := range []string{"POST", "GET", "DELETE"} {
				is.Equal(code(p.do(method, echo, "MCP-Protocol-Version", "1999-01-01")), 400)
			}
			is.Equal(code(p.post(echo)), 200) // and it is still there
			is.Equal(code(p.post(echo, "MCP-Protocol-Version", "-")), 200)
			is.Equal(code(p.do("GET", "", "MCP-Protocol-Version", "-")), 200)
			is.Equal(code(p.do("DELETE", "", "MCP-Protocol-Version", "-")), 204)
		})
	}
}

func TestWhatAClientMustAcceptAndSend(t *testing.T) {
	is := is.New(t)
	h := httpdtest.Handler(t, newPuppet())
	p := meet(t, h, "2025-11-25")
	for accept, want := range map[string]string{
		"application/json, text/event-stream": "application/json",
		"*/*":                                 "application/json",
		"-":                                   "application/json",
		"":                                    "application/json",
		"text/*, application/*;q=0.5":         "application/json",
		"APPLICATION/JSON,Text/Event-Stream":  "application/json",
		"application/json":                    "application/json",
		"application/json, text/event-stream;q=0": "application/json",
		"text/event-stream":                       "text/event-stream",
	} {
		r := p.post(echo, "Accept", accept)
		is.Equal(r.StatusCode, 200)
		is.Equal(r.Header.Get("Content-Type"), want)
		is.True(strings.Contains(body(t, r), `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`))
	}
	is.Equal(code(p.post(echo, "Accept", "text/html")), 406)
	is.Equal(code(p.do("GET", "", "Accept", "application/json")), 406)
	is.Equal(code(p.do("GET", "", "Accept", "-")), 200)
	is.Equal(code(p.post(echo, "Content-Type", "text/plain")), 415)
	is.Equal(code(p.post(echo, "Content-Type", "application/json; charset=utf-8")), 200)
	is.Equal(code(p.do("PUT", echo)), 405)
	is.Equal(p.do("PUT", echo).Header.Get("Allow"), "GET, POST, DELETE")
	large := strings.Repeat("x", h.MaxBody)
	is.Equal(code(p.post(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":"`+large+`"}}`)), 413)
	severalLines := "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1, \"method\": \"echo\",\r\n \"params\": {}\n}\n"
	is.Equal(code(p.post(severalLines)), 200)
}

func TestASessionBeginsWithTheMediaTypeThatTheClientAccepts(t *testing.T) {
	for accept, want := range map[string]string{
		"text/event-stream": "text/event-stream",
		"application/json":  "application/json",
		"-":                 "application/json",
	} {
		is := is.New(t)
		p := &peer{t: t, url: serve(t, httpdtest.Handler(t, newPuppet()))}
		r := p.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
			"Accept", accept)
		is.Equal(r.StatusCode, 200)
		is.Equal(r.Header.Get("Content-Type"), want)
		is.True(r.Header.Get("Mcp-Session-Id") != "")
		is.True(strings.Contains(body(t, r), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`))
	}
}

func TestAClientWithoutStreamsGetsItsAnswerAloneAndTheRestOnTheCommonStream(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := meet(t, streaming(t, server), "2025-03-26")
	common := events(t, p.do("GET", ""))
	answer := make(chan string)
	go func() { answer <- body(t, p.post(slow, "Accept", "application/json")) }()
	id := (<-server.got).ID().String()
	server.say(`{"jsonrpc":"2.0","id":77,"method":"elicitation/create"}`, id)
	server.say(`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, id)
	is.Equal(<-answer, `{"jsonrpc":"2.0","id":"s","result":{}}`)
	is.True(strings.Contains(common.next(), `{"jsonrpc":"2.0","id":77,"method":"elicitation/create"}`))

	r := p.post(`[`+echo+`,7,`+initialized+`]`, "Accept", "application/json")
	is.Equal(r.Header.Get("Content-Type"), "application/json")
	is.Equal(body(t, r), `[{"jsonrpc":"2.0","error":{"code":-32600,`+
		`"message":"invalid request: a message is a JSON object, not a number"}},`+
		`{"jsonrpc":"2.0","id":1,"result":{"a":1}}]`)

	gone := make(chan int)
	go func() { gone <- code(p.post(slow, "Accept", "application/json")) }()
	<-server.got // initialized
	<-server.got
	is.Equal(code(p.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)), 202)
	is.Equal(<-gone, 202) // there is no answer
}

func TestABodyThatIsTooLongIsRefusedBeforeItIsRead(t *testing.T) {
	is := is.New(t)
	p := meet(t, httpdtest.Handler(t, newPuppet()), "2025-11-25")
	u, err := url.Parse(p.url)
	is.NoErr(err)
	conn, err := net.Dial("tcp", u.Host)
	is.NoErr(err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{", u.RequestURI(), u.Host)
	is.NoErr(err)
	all, err := io.ReadAll(conn) // the server closes the connection
	is.NoErr(err)
	is.True(strings.HasPrefix(string(all), "HTTP/1.1 413 "))
	is.True(strings.Contains(string(all), `the body is longer than`))
}

func TestWhatIsNotAMessageIsRefusedWithAReason(t *testing.T) {
	is := is.New(t)
	p := meet(t, httpdtest.Handler(t, newPuppet()), "2025-11-25")
	for text, want := range map[string]string{
		``:                                    `"code":-32700`,
		`{`:                                   `"code":-32700`,
		`7`:                                   `"code":-32600`,
		`{"jsonrpc":"2.0"}`:                   `"code":-32600`,
		`[` + echo + `]`:                      `"code":-32600`, // this revision has no arrays
		`{"jsonrpc":"2.0","id":7,"method":5}`: `"id":7`,
	} {
		r := p.post(text)
		is.Equal(r.StatusCode, 400)
		is.True(strings.Contains(body(t, r), want))
	}
}

func TestNotificationsAndResponsesAreAccepted(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := meet(t, httpdtest.Handler(t, server), "2025-11-25")
	for _, text := range []string{initialized, `{"jsonrpc":"2.0","id":9,"result":{}}`} {
		r := p.post(text)
		is.Equal(r.StatusCode, 202)
		is.Equal(body(t, r), "")
		is.Equal(string((<-server.got).Line()), text)
	}
}

func TestASessionThatItsServerRefusesDoesNotBegin(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	h := httpdtest.Handler(t, server)
	p := &peer{t: t, url: serve(t, h)}
	r := p.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"bad"}}`)
	is.Equal(r.Header.Get("Mcp-Session-Id"), "")
	is.True(strings.Contains(body(t, r), `"code":-32602`))
	<-server.ends
	is.Equal(h.Sessions.Count(), 0)
}

func TestMessagesOfACallComeOnItsStreamAndOthersOnTheCommonOne(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := meet(t, httpdtest.Handler(t, server), "2025-11-25")
	common := events(t, p.do("GET", ""))
	is.Equal(common.next(), "1-0")
	ready := make(chan *stream)
	go func() { ready <- events(t, p.post(slow)) }()
	<-server.got
	other := make(chan string)
	go func() { other <- body(t, p.post(`{"jsonrpc":"2.0","id":2,"method":"slow2"}`)) }()
	<-server.got
	server.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p"}}`, "")
	server.say(`{"jsonrpc":"2.0","id":77,"method":"elicitation/create"}`, "2")
	server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, "")
	server.say(`{"jsonrpc":"2.0","id":3,"result":{}}`, "3")
	server.say(`{"jsonrpc":"2.0","id":2,"result":{}}`, "2")
	of := <-ready
	is.Equal(of.next(), "3-0") // so that the client can resume before there is anything
	is.Equal(of.next(), `3-1 {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p"}}`)
	is.Equal(of.next(), `3-2 {"jsonrpc":"2.0","id":77,"method":"elicitation/create"}`)
	is.Equal(of.next(), `3-3 {"jsonrpc":"2.0","id":"s","result":{}}`)
	is.Equal(of.next(), "") // it ends with the response
	is.Equal(common.next(), `1-1 {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	is.Equal(<-other, `{"jsonrpc":"2.0","id":2,"result":{}}`)
}

func TestAnOlderRevisionGetsNoEmptyEvents(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := meet(t, httpdtest.Handler(t, server), "2025-06-18")
	ready := make(chan *stream)
	go func() { ready <- events(t, p.post(slow)) }()
	<-server.got
	server.say(`{"jsonrpc":"2.0","method":"x"}`, "2")
	server.say(`{"jsonrpc":"2.0","id":2,"result":{}}`, "2")
	of := <-ready
	is.Equal(of.next(), `3-1 {"jsonrpc":"2.0","method":"x"}`)
	is.Equal(of.next(), `3-2 {"jsonrpc":"2.0","id":"s","result":{}}`)
}

// begun begins a session in which the call slow is unanswered. Its response is a stream, whose first
// event was read.
func begun(t *testing.T) (server *puppet, p *peer, of *stream) {
	t.Helper()
	server = newPuppet()
	p = meet(t, streaming(t, server), "2025-11-25")
	of = events(t, p.post(slow))
	<-server.got
	if first := of.next(); first != "3-0" {
		t.Fatalf("the stream begins with %q", first)
	}
	return server, p, of
}

func TestAStreamThatBrokeIsResumedAndNothingOfAnotherComesWithIt(t *testing.T) {
	is := is.New(t)
	server, p, of := begun(t)
	server.say(`{"jsonrpc":"2.0","method":"x"}`, "2")
	is.Equal(of.next(), `3-1 {"jsonrpc":"2.0","method":"x"}`)
	of.r.Body.Close()
	server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, "")
	server.say(`{"jsonrpc":"2.0","method":"y"}`, "2")
	again := events(t, p.do("GET", "", "Last-Event-ID", "3-1"))
	is.Equal(again.next(), `3-2 {"jsonrpc":"2.0","method":"y"}`)
	server.say(`{"jsonrpc":"2.0","id":2,"result":{}}`, "2")
	is.Equal(again.next(), `3-3 {"jsonrpc":"2.0","id":"s","result":{}}`)
	is.Equal(again.next(), "")
	whole := events(t, p.do("GET", "", "Last-Event-ID", "3-0"))
	is.Equal(whole.next(), `3-1 {"jsonrpc":"2.0","method":"x"}`) // also when it has ended
	is.Equal(code(p.do("GET", "", "Last-Event-ID", "3-9")), 400)
	is.Equal(code(p.do("GET", "", "Last-Event-ID", "nonsense")), 400)
}

func TestDisconnectingDoesNotCancelACallOfASession(t *testing.T) {
	is := is.New(t)
	server, p, of := begun(t)
	of.r.Body.Close()
	server.say(`{"jsonrpc":"2.0","id":2,"result":{}}`, "2")
	is.Equal(events(t, p.do("GET", "", "Last-Event-ID", "3-0")).next(), `3-1 {"jsonrpc":"2.0","id":"s","result":{}}`)
	select {
	case m := <-server.got:
		t.Fatalf("the server got %s", m.Line())
	default:
	}
}

func TestACancelledCallHasItsStreamEnded(t *testing.T) {
	is := is.New(t)
	server, p, of := begun(t)
	is.Equal(code(p.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)), 202)
	is.Equal(string((<-server.got).Line()),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	is.Equal(of.next(), "")
	again := events(t, p.post(slow)) // its id is free at once
	<-server.got
	server.say(`{"jsonrpc":"2.0","id":2,"result":{}}`, "") // of the cancelled call
	server.say(`{"jsonrpc":"2.0","id":3,"result":{"second":true}}`, "")
	again.next()
	is.Equal(again.next(), `4-1 {"jsonrpc":"2.0","id":"s","result":{"second":true}}`)
	is.Equal(events(t, p.do("GET", "", "Last-Event-ID", "3-0")).next(), "") // who resumes it is told that it has ended
}

func TestASecondCommonStreamIsServedWhenTheFirstHasEnded(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := meet(t, httpdtest.Handler(t, server), "2025-11-25")
	first := events(t, p.do("GET", ""))
	is.Equal(first.next(), "1-0")
	second := events(t, p.do("GET", "")) // it is accepted, and evicts nobody
	server.say(`{"jsonrpc":"2.0","method":"a"}`, "")
	is.Equal(first.next(), `1-1 {"jsonrpc":"2.0","method":"a"}`)
	first.r.Body.Close()
	is.Equal(second.next(), "1-1") // its client can resume from there
	server.say(`{"jsonrpc":"2.0","method":"b"}`, "")
	is.Equal(second.next(), `1-2 {"jsonrpc":"2.0","method":"b"}`)
}

func TestRequestsWithTheSameIDAtATimeAreBothServed(t *testing.T) {
	is := is.New(t)
	server, p, of := begun(t)
	other := events(t, p.post(slow))
	<-server.got
	server.say(`{"jsonrpc":"2.0","id":3,"result":"other"}`, "3")
	server.say(`{"jsonrpc":"2.0","id":2,"result":"one"}`, "2")
	is.Equal(of.next(), `3-1 {"jsonrpc":"2.0","id":"s","result":"one"}`)
	other.next()
	is.Equal(other.next(), `4-1 {"jsonrpc":"2.0","id":"s","result":"other"}`)
}

func TestAnArrayOf20250326IsAnsweredOnOneStream(t *testing.T) {
	is := is.New(t)
	p := meet(t, httpdtest.Handler(t, newPuppet()), "2025-03-26")
	of := events(t, p.post(`[`+echo+`,7,{"jsonrpc":"2.0","id":2,"method":"echo","params":{}}]`))
	is.True(strings.Contains(of.next(), `"code":-32600`)) // 7
	got := of.next() + of.next()
	is.True(strings.Contains(got, `"id":1,"result":{"a":1}`))
	is.True(strings.Contains(got, `"id":2,"result":{}`))
	is.Equal(of.next(), "")
	is.Equal(code(p.post(`[]`)), 400)
	is.Equal(code(p.post(`[`+initialized+`]`)), 202)
}

func TestEveryBadItemOfAnArrayGetsItsOwnError(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	p := meet(t, httpdtest.Handler(t, server), "2025-03-26")
	bad := func(id string) string { return `{"jsonrpc":"1.0","id":` + id + `,"method":"ping"}` }
	fault := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,` +
			`"message":"invalid request: \"jsonrpc\" must be \"2.0\""}}`
	}
	of := events(t, p.post(`[`+bad("5")+`,`+bad("6")+`]`))
	is.Equal(of.next(), fault("5"))
	is.Equal(of.next(), fault("6"))
	is.Equal(of.next(), "")
	of = events(t, p.post(`[`+initialized+`,`+bad("7")+`]`))
	is.Equal((<-server.got).Method(), "notifications/initialized")
	is.Equal(of.next(), fault("7"))
	is.Equal(of.next(), "")
	r := p.post(`[` + bad("8") + `]`)
	is.Equal(r.StatusCode, 400)
	is.Equal(body(t, r), fault("8"))
	// What was meant as a response never does.
	is.Equal(code(p.post(`[{"jsonrpc":"2.0","id":9,"result":1,"error":2}]`)), 202)
}

func TestCallsThatCannotBePartOfAnArrayAreRefused(t *testing.T) {
	is := is.New(t)
	p := meet(t, httpdtest.Handler(t, newPuppet()), "2025-03-26")
	of := events(t, p.post(`[{"jsonrpc":"2.0","id":5,"method":"echo","params":{`+claim+`}},`+
		echo+`,`+
		`{"jsonrpc":"2.0","method":"note","params":{`+claim+`}},`+
		`{"jsonrpc":"2.0","id":6,"method":"initialize","params":{}}]`))
	is.Equal(of.next(), `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,`+
		`"message":"invalid request: calls of revision 2026-07-28 cannot be part of an array"}}`)
	is.Equal(of.next(), `{"jsonrpc":"2.0","id":6,"error":{"code":-32600,`+
		`"message":"invalid request: initialize cannot be part of an array"}}`)
	is.True(strings.Contains(of.next(), `"id":1,"result":{"a":1}`))
	is.Equal(of.next(), "")
}

func TestWhenTheServerIsGoneItsCallsFailAndTheSessionIsGone(t *testing.T) {
	is := is.New(t)
	server, p, of := begun(t)
	server.all[0].Close()
	is.Equal(of.next(), `3-1 {"jsonrpc":"2.0","id":"s","error":{"code":-32603,`+
		`"message":"internal error: the server is gone"}}`)
	for code(p.post(initialized)) != 404 { // soon
		<-server.got
	}
}

func TestASessionServesOnlyTheUserWhoBeganIt(t *testing.T) {
	is := is.New(t)
	h := httpdtest.Handler(t, newPuppet())
	user := "ada"
	h.Owner = func(r *http.Request) string { return user }
	p := meet(t, h, "2025-11-25")
	is.Equal(code(p.post(echo)), 200)
	user = "bob"
	is.Equal(code(p.post(echo)), 404)
	is.Equal(code(p.do("DELETE", "")), 404)
}

func TestSessionsAndCallsAreBounded(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	h := streaming(t, server)
	h.Sessions.Places = limit.NewShares("sessions are open", 1, 1)
	h.Sessions.Limits.Exchanges = 1
	p := meet(t, h, "2025-11-25")
	r := p.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		"Mcp-Session-Id", "-")
	is.Equal(r.StatusCode, 503)
	is.Equal(r.Header.Get("Retry-After"), "5")
	is.Equal(body(t, r), `{"jsonrpc":"2.0","id":0,"error":{"code":-32000,`+
		`"message":"Server busy: too many sessions are open: at most 1; try again later"}}`)
	events(t, p.post(slow))
	r = p.post(echo)
	is.Equal(r.StatusCode, 429)
	is.Equal(r.Header.Get("Retry-After"), "5")
	is.True(strings.Contains(body(t, r), `"code":-32000,"message":"Server busy: `))
}

func TestTheCallsOfAUserInAMinuteAreBoundedForAllTheirSessionsTogether(t *testing.T) {
	is := is.New(t)
	h := httpdtest.Handler(t, newPuppet())
	user := "ada"
	h.Owner, h.Rate = func(*http.Request) string { return user }, session.NewRate(1)
	first, second := meet(t, h, "2025-11-25"), meet(t, h, "2025-11-25")
	is.Equal(code(first.post(echo)), 200)
	r := second.post(echo)
	is.Equal(r.StatusCode, 429)
	is.Equal(r.Header.Get("Retry-After"), "5")
	is.True(strings.Contains(body(t, r), "Too many calls: at most 1 a minute"))
	user = "bob"
	is.Equal(code(meet(t, h, "2025-11-25").post(echo)), 200)
}

func TestAnIdleSessionEnds(t *testing.T) {
	is := is.New(t)
	server := newPuppet()
	h := httpdtest.Handler(t, server)
	h.Sessions.Idle = time.Nanosecond
	ended := make(chan string, 1)
	h.Sessions.Ended = func(why string) { ended <- why }
	p := meet(t, h, "2025-11-25")
	is.Equal(<-ended, session.Idled)
	is.Equal(code(p.post(echo)), 404)
}

func TestWhatAServerLogsBeforeItHasAnsweredInitializeIsNotTheAnswer(t *testing.T) {
	is := is.New(t)
	p := &peer{t: t, url: serve(t, httpdtest.Handler(t, newPuppet()))}
	r := p.post(`{"jsonrpc":"2.0","id":0,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"chatty"}}}`)
	is.Equal(body(t, r), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`)
	p.id, p.version = r.Header.Get("Mcp-Session-Id"), "2025-11-25"
	common := events(t, p.do("GET", ""))
	is.True(strings.Contains(common.next()+common.next(), `"data":"starting"`)) // after the event that has an id only
}
