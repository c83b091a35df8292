package handlers_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestDiscoverListsWhatTheServerOffers(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks())
		d.say("1", "server/discover", "", "")
		is.Equal(d.hear(), `{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],`+
			`"capabilities":{"resources":{"subscribe":true},"tools":{"listChanged":true}},`+
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1"}},"resultType":"complete","ttlMs":0,"cacheScope":"public"}}`) // D-02, D-03, CA-01
	})
}

func TestEveryResultHasItsTypeAndTheServerInfo(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		d := newDialog(t, asks("a"))
		task := d.begin("forced", tasking+","+elicits)
		for _, c := range []struct{ method, params, kind string }{
			{"server/discover", "", "complete"},
			{"tools/list", "", "complete"},
			{"tools/call", `"name":"plain"`, "input_required"},
			{"tasks/get", task, "complete"},
			{"tasks/update", task + `,"inputResponses":{}`, "complete"},
			{"tasks/cancel", task, "complete"},
		} {
			d.say("2", c.method, tasking+","+elicits, c.params)
			line := d.hear()
			is.Equal(d.read(line).Result.ResultType, c.kind)                                                       // N-08
			is.True(strings.Contains(line, `"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1"}`)) // N-09
			lists := c.method == "tools/list" || c.method == "server/discover"
			is.Equal(strings.Contains(line, `"cacheScope"`), lists) // CA-01, MR-14
		}
	})
}

func TestResultsOfASessionAreLeftAsTheyAre(t *testing.T) {
	in(t, func(t *testing.T, is *is.I) {
		c := session(t, "2025-11-25", `{}`, asks())
		c.Send(call)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":"c","result":{"content":[{"type":"text","text":""}],"isError":false}}`) // B-05, CA-05
	})
}
