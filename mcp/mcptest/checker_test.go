package mcptest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// follow returns a conversation, and skips the test where the schemas are absent.
func follow(t *testing.T) *conversation {
	t.Helper()
	all, err := official()
	if err != nil {
		t.Skipf("the schemas of the protocol are missing, so the checker has nothing to check against: %v", err)
	}
	return newConversation(all)
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":`

// modern is the line of a request of 2026-07-28; params are what it has beside
// _meta, each followed by a comma.
func modern(id, method, params, capabilities string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + meta + capabilities + `}}}`
}

// play lets a client send lines and returns the faults of the last line that the server wrote.
func play(t *testing.T, c *conversation, sent, written []string) string {
	t.Helper()
	for _, line := range sent {
		c.in([]byte(line))
	}
	var faults []string
	for i, line := range written {
		faults = c.out([]byte(line))
		if i < len(written)-1 && len(faults) > 0 {
			t.Fatalf("%s: %v", line, faults)
		}
	}
	return strings.Join(faults, "\n")
}

// session opens a session of a client with all capabilities.
func session(t *testing.T, version string) *conversation {
	t.Helper()
	c := follow(t)
	faults := play(t, c,
		[]string{`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"` + version +
			`","capabilities":{"roots":{},"sampling":{},"elicitation":{}}}}`},
		[]string{`{"jsonrpc":"2.0","id":"open","result":{"protocolVersion":"` + version +
			`","capabilities":{"logging":{},"tools":{}},"serverInfo":{"name":"demo","version":"1"}}}`})
	if faults != "" {
		t.Fatal(faults)
	}
	return c
}

// An exchange is a line of the server after a request of the client, both without a session if version
// is empty.
type exchange struct {
	version, sent, written string
	fault                  string // a part of it; "" for none
}

func (e exchange) try(t *testing.T) {
	t.Helper()
	var c *conversation
	if e.version == "" {
		c = follow(t)
	} else {
		c = session(t, e.version)
	}
	got := play(t, c, strings.Split(e.sent, "\n"), strings.Split(e.written, "\n"))
	if e.fault == "" && got != "" || !strings.Contains(got, e.fault) {
		t.Errorf("%s\n%s\nis found %q, want %q", e.sent, e.written, got, e.fault)
	}
}

func ask(method string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"progressToken":"p"}}}`
}

// result, failure and elicit are lines of a server: two answers to ask, and a question.
func result(value string) string  { return `{"jsonrpc":"2.0","id":1,"result":` + value + `}` }
func failure(value string) string { return `{"jsonrpc":"2.0","id":1,"error":` + value + `}` }
func elicit(params string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":` + params + `}`
}

func TestMessagesOfARevisionAreAccepted(t *testing.T) {
	for _, e := range []exchange{
		{"2024-11-05", ask("tools/list"),
			result(`{"tools":[{"name":"add","description":"Adds","inputSchema":{"type":"object",` +
				`"properties":{"a":{"type":"number"}},"$defs":{}}}]}`), ""},
		{"2024-11-05", ask("tools/call"),
			result(`{"content":[{"type":"text","text":"3"}],"isError":false,"_meta":{"vendor/x":1}}`),
			""},
		{"2024-11-05", ask("tools/call"),
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, ""},
		{"2024-11-05", ask("resources/read"),
			failure(`{"code":-32002,"message":"Resource not found","data":{"uri":"file:///zz"}}`), ""},
		{"2024-11-05", "not JSON", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`, ""}, // J-15
		{"2025-03-26", `[` + ask("ping") + `,{"jsonrpc":"2.0","id":2,"method":"nope"}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601,` +
				`"message":"Method not found"}}]`, ""},
		{"2025-03-26", ask("resources/templates/list"),
			result(`{"resourceTemplates":[{"uriTemplate":"notes://{id}{?page*}","name":"notes"}]}`),
			""},
		{"2025-03-26", ask("tools/call"), `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{}}}`,
			""}, // a tool's own code
		{"2025-03-26", ask("tools/list"),
			result(`{"tools":[{"name":"rm","inputSchema":{"type":"object"},"annotations":{"title":"Remove",` +
				`"readOnlyHint":false}}]}`), ""},
		{"2025-06-18", ask("tools/call"),
			elicit(`{"message":"Size?","requestedSchema":{"type":"object","properties":{"s":{"type":"string","enum":["s",` +
				`"l"],"enumNames":["Small","Large"]},"ok":{"type":"boolean","default":true}},"required":["s"]}}`), ""},
		{"2025-06-18", ask("tools/call"),
			result(`{"content":[{"type":"text","text":"{}"},{"type":"resource_link","uri":"file:///a","name":"a"}],` +
				`"structuredContent":{"sum":3}}`), ""},
		{"2025-11-25", ask("tools/list"),
			result(`{"tools":[{"name":"add","title":"Add","inputSchema":{"type":"object"},` +
				`"icons":[{"src":"data:image/png;base64,AA==","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],` +
				`"execution":{"taskSupport":"optional"}}],"nextCursor":"p3"}`), ""},
		{"2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"task":{}}}`,
			result(`{"task":{"taskId":"k1","status":"working","createdAt":"2025-11-25T10:00:00Z",` +
				`"lastUpdatedAt":"2025-11-25T10:00:00Z","ttl":60000,"pollInterval":500}}`), ""},
		{"2025-11-25", ask("tools/call"),
			elicit(`{"mode":"url","message":"Sign in","url":"https://example.com/k","elicitationId":"e-1"}`), ""},
		{"2025-11-25", ask("tools/call"),
			failure(`{"code":-32042,"message":"Sign-in needed","data":{"elicitations":[{"mode":"url","message":"Sign in",` +
				`"url":"https://example.com/k","elicitationId":"e-1"}]}}`), ""},
		{"2025-11-25", ask("tools/call"),
			`{"jsonrpc":"2.0","id":7,"method":"roots/list"}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, ""},
		{"2025-11-25", ask("shutdown"), `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"2025-11-25", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"result":{}}`,
			""}, // of a client without that capability; echoed
		{"2025-11-25", ask("nope"),
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a.txt"}}`, ""},

		{"", modern("1", "server/discover", "", "{}"),
			result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},` +
				`"extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":3600000,"cacheScope":"public",` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1.0.0"}}}`), ""},
		{"", modern("1", "server/discover", "", "{}"),
			failure(`{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],` +
				`"requested":"2027-01-01"}}`), ""},
		{"2025-03-26", modern("1", "tools/call", "", "{}"),
			result(`{"resultType":"complete","content":[{"type":"text","text":"[1,2]"}],"structuredContent":[1,2]}`), ""},
		{"", modern("1", "tools/call", "", `{"elicitation":{"form":{}},"roots":{}}`),
			result(`{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create",` +
				`"params":{"mode":"form","message":"Name?","requestedSchema":{"type":"object",` +
				`"properties":{"name":{"type":"string"}}}}},"where":{"method":"roots/list"}},"requestState":"x"}`), ""},
		{"", modern("1", "resources/read", "", "{}"),
			result(`{"resultType":"complete","contents":[{"uri":"file:///a.txt","mimeType":"text/plain","text":"hi"}],` +
				`"ttlMs":0,"cacheScope":"private"}`), ""},
		{"", modern("20", "subscriptions/listen", `"notifications":{},`, "{}"),
			`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
				`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":20},"notifications":{}}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/tools/list_changed",` +
				`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":20}}}` + "\n" +
				`{"jsonrpc":"2.0","id":20,"result":{"resultType":"complete",` +
				`"_meta":{"io.modelcontextprotocol/subscriptionId":20}}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":20}}`, ""},
		{"", modern("1", "tools/call", "", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`),
			result(`{"resultType":"task","taskId":"k1","status":"working","createdAt":"2026-07-28T10:00:00Z",` +
				`"lastUpdatedAt":"2026-07-28T10:00:00Z","ttlMs":3600000}`), ""},
		{"", modern("1", "tools/call", "", `{},"io.modelcontextprotocol/logLevel":"info"`),
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"step 1"}}`, ""},
	} {
		e.try(t)
	}
}

func TestMessagesThatViolateARevisionAreReported(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	const begun = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{}}}` + "\n"
	for _, e := range []exchange{
		{"2025-11-25", ask("tools/call"), `mcp-bash 1.0`, "S-02"},
		{"2025-11-25", ask("tools/call"), `5`, "J-01"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"1.0","id":1,"result":{}}`, "J-01"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":2,"result":{}}`, "J-02"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":"1","result":{}}`, "J-02"},
		{"2025-11-25", ask("ping"),
			`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, "J-02"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, "J-08"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":1}`, "J-08"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":1,"result":null}`, "JSONRPCResultResponse"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":1,"result":{"pong":true}}`, "pong"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}`, "/error/code"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, "message"},
		{"2024-11-05", "not JSON", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "J-14"},
		{"2025-11-25", ask("ping"), `[{"jsonrpc":"2.0","id":1,"result":{}}]`, "J-23"},
		{"2025-11-25", ask("nope"), `{"jsonrpc":"2.0","id":1,"result":{}}`, "J-11"},
		{"2025-11-25", ask("initialize"),
			result(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`), "L-08"},
		{"", ask("initialize"),
			result(`{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`), "L-02"},
		{"", ask("initialize"),
			result(`{"protocolVersion":"2024-11-05","capabilities":{"completions":{}},"serverInfo":{"name":"a","version":"1"}}`),
			"'/capabilities/completions'"},
		{"", ask("initialize"),
			result(`{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"a","version":"1","title":"A"}}`),
			"'/serverInfo/title'"},

		{"2025-11-25", ask("tools/call"), `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{}}}`, "content"},
		{"2025-11-25", ask("tools/call"), `{"jsonrpc":"2.0","id":1,"result":{"content":null}}`, "/content"},
		{"2025-11-25", ask("tools/call"), `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":[1]}}`,
			"/structuredContent"},
		{"2024-11-05", ask("tools/call"),
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}]}}`,
			"/content/0"},
		{"2024-11-05", ask("tools/call"),
			result(`{"content":[{"type":"text","text":"","annotations":{"lastModified":"2025-11-25T00:00:00Z"}}]}`),
			"'/content/0/annotations/lastModified'"},
		{"2025-03-26", ask("tools/call"),
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"","_meta":{}}]}}`, "'/content/0/_meta'"},
		{"2025-03-26", ask("tools/call"),
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}}`,
			"/content/0"},
		{"2025-03-26", ask("tools/list"),
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"},"icons":[]}]}}`,
			"'/tools/0/icons'"},
		{"2024-11-05", ask("tools/list"),
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{}}]}}`,
			"'/tools/0/annotations'"},
		{"2025-11-25", ask("tools/list"), result(`{"tools":[],"nextCursor":null}`), "/nextCursor"},
		{"2025-06-18", ask("prompts/list"), `{"jsonrpc":"2.0","id":1,"result":{"prompts":[],"ttlMs":0}}`, "CA-05"},
		{"2025-06-18", ask("tools/call"), result(`{"content":[],"resultType":"complete"}`), "B-05"},
		{"2025-11-25", ask("resources/read"), `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"file:///a"}]}}`,
			"/contents/0"},
		{"2024-11-05", ask("resources/templates/list"),
			`{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"uriTemplate":"notes://{id","name":"notes"}]}}`,
			"uri-template"},
		{"2025-11-25", ask("resources/list"), result(`{"resources":[{"uri":"a b","name":"a"}]}`),
			"'/resources/0/uri'"},
		{"2025-11-25", ask("prompts/get"),
			`{"jsonrpc":"2.0","id":1,"result":{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}}`,
			"/messages/0/content"},

		{"2024-11-05", ask("tools/call"),
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"x"}}`,
			"'/params/message'"},
		{"2025-11-25", ask("tools/call"),
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`, "P-01"},
		{"2025-11-25", ask("ping"),
			`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, "P-04"},
		{"2025-11-25", ask("ping"),
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, "P-02"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}`,
			"/params/level"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","method":"notifications/nope"}`, "notifications/nope"},
		{"2025-11-25", ask("ping"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "X-05"},
		{"2025-03-26", ask("tools/call"),
			elicit(`{"message":"?","requestedSchema":{"type":"object","properties":{}}}`), "ElicitRequest"},
		{"2025-06-18", ask("tools/call"),
			elicit(`{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}`), "'/params/mode'"},
		{"2025-11-25", ask("tools/call"),
			`{"jsonrpc":"2.0","id":7,"method":"roots/list"}` + "\n" + `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`, "J-05"},
		{"2025-11-25", ask("tools/call"), `{"jsonrpc":"2.0","id":7,"method":"server/ask"}`, "server/ask"},

		{"", modern("1", "tools/call", "", "{}"), `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "'resultType'"},
		{"", modern("1", "tools/call", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"done","content":[]}}`, "N-08"},
		{"", modern("1", "ping", "", "{}"), `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}`, "N-11"},
		{"", modern("1", "tools/list", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[]}}`, "ttlMs"},
		{"", modern("1", "tools/call", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[],"ttlMs":0}}`, "CA-01"},
		{"", modern("1", "tools/list", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"x"}}`, "MR-01"},
		{"", modern("1", "tools/call", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}`, "MR-02"},
		{"", modern("1", "tools/call", "", `{"roots":{}}`),
			result(`{"resultType":"input_required","inputRequests":{"a":{"id":1,"method":"roots/list"}}}`), "MR-03"},
		{"", modern("1", "tools/call", "", "{}"),
			result(`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`),
			"MR-04"},
		{"", modern("1", "tools/call", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"x","ttlMs":0}}`, "MR-14"},
		{"", modern("1", "tools/call", "", "{}"),
			result(`{"resultType":"task","taskId":"k","status":"working","createdAt":"","lastUpdatedAt":"","ttlMs":1}`),
			"TX-02"},
		{"", modern("1", "tools/call", "", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`),
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","task":{}}}`, "TX-05"},
		{"", modern("1", "server/discover", "", "{}"),
			result(`{"resultType":"complete","supportedVersions":[],"capabilities":{"tasks":{}},"ttlMs":0,` +
				`"cacheScope":"public"}`), "'/capabilities/tasks'"},
		{"", modern("1", "server/discover", "", "{}"),
			result(`{"resultType":"complete","supportedVersions":[],"capabilities":{},"serverInfo":{},"ttlMs":0,` +
				`"cacheScope":"public"}`), "D-03"},
		{"", modern("1", "resources/read", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found"}}`, "N-14"},
		{"", modern("1", "tools/call", "", "{}"), failure(`{"code":-32050,"message":"x"}`), "N-14"},
		{"", modern("1", "tools/call", "", "{}"), `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"x"}}`,
			"URLElicitationRequiredError"},
		{"", modern("1", "tools/call", "", "{}"),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"x","data":{"requiredCapabilities":["roots"]}}}`,
			"requiredCapabilities"},
		{"2025-11-25", ask("tools/call"),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"x","data":{"supported":[],"requested":""}}}`,
			"UnsupportedProtocolVersionError"},
		{"", modern("1", "tools/call", "", `{"roots":{}}`), `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`, "S-12"},
		{"", modern("1", "tools/call", "", "{}"),
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`, "LG-05"},
		{"", modern("1", "tools/call", "", "{}"), changed, "B-09"},
		{"", modern("1", "tools/call", "", "{}"),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "X-06"},
		{"", modern("1", "subscriptions/listen", "", "{}"),
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed",` +
				`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`, "SL-01"},
		{"", modern("1", "subscriptions/listen", "", "{}"),
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed",` +
				`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}}`, "SL-02"},
		{"", modern("1", "subscriptions/listen", "", "{}"),
			`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}`, "SL-02"},
		{"", modern("1", "subscriptions/listen", "", "{}"),
			begun +
				`{"jsonrpc":"2.0","method":"notifications/progress",` +
				`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"progressToken":1,"progress":1}}`, "SL-09"},
		{"", modern("1", "subscriptions/listen", "", "{}"),
			begun +
				`{"jsonrpc":"2.0","method":"notifications/message",` +
				`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"level":"info","data":1}}`, "SL-09"}, // LG-08
	} {
		e.try(t)
	}
}

func TestAServerAsksOnlyForWhatItsClientCan(t *testing.T) {
	is := is.New(t)
	c := follow(t)
	got := play(t, c, []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`}, []string{
		result(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}`),
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,"method":"roots/list"}`,
	})
	is.True(strings.Contains(got, "RO-01")) // it declared nothing; a ping needs no capability
}

func TestAServerSendsLogMessagesOnlyIfItHasDeclaredThem(t *testing.T) {
	is := is.New(t)
	const log = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`
	for capabilities, fault := range map[string]string{`{"logging":{}}`: "", `{"tools":{}}`: "LG-01"} {
		got := play(t, follow(t), []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`}, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":` + capabilities +
				`,"serverInfo":{"name":"a","version":"1"}}}`,
			log,
		})
		is.Equal(got == "", fault == "")
		is.True(strings.Contains(got, fault))
	}
}

func TestTwoRequestsWithTheSameIDAreBothAnswered(t *testing.T) {
	is := is.New(t)
	c := session(t, "2025-11-25")
	is.Equal(play(t, c, []string{ask("tools/call"), ask("ping")}, []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, // the ping was answered first
		`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`,
	}), "")
}

func TestLinesAreCheckedAsTheyPass(t *testing.T) {
	is := is.New(t)
	follow(t)
	told := &recorder{TB: t}
	c := New(told)
	var server bytes.Buffer
	in := c.Writer(&server)
	second := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for _, part := range []string{`{"jsonrpc":"2.0","id":1,`, `"method":"ping"}` + "\n" + second, "\n"} {
		_, err := io.WriteString(in, part)
		is.NoErr(err)
	}
	is.Equal(strings.Count(server.String(), "\n"), 2) // all lines are valid
	written := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":[]}` + "\n" + "no end"
	got, err := io.ReadAll(c.Reader(strings.NewReader(written)))
	is.NoErr(err)
	is.Equal(string(got), written) // unchanged
	is.Equal(len(told.errors), 1)  // of the second answer
	is.True(strings.Contains(told.errors[0], `"id":2,"result":[]`))

	c.Played([]byte(`{"jsonrpc":"2.0","id":3,"method":"ping"}`),
		[]byte(`{"jsonrpc":"2.0","id":3,"result":{}}`+"\n"+`{}`+"\n"))
	is.Equal(len(told.errors), 2) // of a conversation that has ended
}

func TestRecordedLinesOfAProcessAreCheckedLater(t *testing.T) {
	is := is.New(t)
	follow(t)
	folder := t.TempDir()
	for _, answer := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`} {
		sent, written, err := Keep(folder)
		is.NoErr(err)
		fmt.Fprintln(sent, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		fmt.Fprintln(written, answer)
		is.NoErr(sent.Close())
		is.NoErr(written.Close())
	}
	told := &recorder{TB: t}
	Kept(told, folder)
	is.Equal(len(told.errors), 1) // of the second run
}

// A recorder records the errors of a test.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestMessagesOfAHostileClientMayBeRefusedWithTheirID(t *testing.T) {
	for _, sent := range []string{
		`{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","id":1,"method":5}`,
		`{"jsonrpc":"2.0","id":1,"method":""}`,
		"\ufeff" + `{"id":1,"method":"ping","method":"ping"} ` + "\r",
		`{"jsonrpc":"2.0","id":1,"method":"` + "\xff" + `"}`,
	} {
		exchange{"2025-11-25", sent,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}`, ""}.try(t)
	}
	for _, sent := range []string{
		"", "{", `[1]`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		exchange{"2025-11-25", sent, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}`,
			"J-02"}.try(t)
	}
}

func FuzzLines(f *testing.F) {
	f.Add(ask("tools/call"), `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"3"}]}}`)
	f.Add(modern("1", "subscriptions/listen", "", "{}"),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	f.Add(`{"id":1,"params":[]}`, `[{"jsonrpc":"2.0","id":1,"error":{"code":1e9,"message":5}},null]`)
	f.Add(ask("initialize"), `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","serverInfo":[]}}`)
	f.Add(ask("tasks/get"), `{"jsonrpc":"2.0","method":"notifications/tasks","params":null}`)
	all, err := official()
	if err != nil {
		f.Skipf("the schemas of the protocol are missing, so the checker has nothing to check against: %v", err)
	}
	f.Fuzz(func(t *testing.T, sent, written string) {
		c := newConversation(all)
		c.in([]byte(sent))
		if faults := c.out([]byte(written)); len(faults) == 0 && !strings.HasPrefix(strings.TrimSpace(written), "{") {
			t.Errorf("%q passes", written)
		}
	})
}
