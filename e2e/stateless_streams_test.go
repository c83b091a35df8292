package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAStreamOfChangesTellsWhatItWasAskedFor(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/a/tool.sh": "#!/bin/sh\n", "resources/note.txt": "one"})
	s := alone(t, project, "MCPBASH_RESOURCES_POLL_INTERVAL_SECS=0.2")
	listen := func(id, filter string) string {
		s.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":` + claimed(`{"notifications":`+filter+`}`, "{}") + `}`)
		got, _ := s.recv("the acknowledgement")
		return got
	}
	var list struct {
		Result struct{ Resources []struct{ URI string } }
	}
	is.NoErr(json.Unmarshal([]byte("{"+s.ask("resources/list", claimed("", "{}"))+"}"), &list))
	uri := list.Result.Resources[0].URI
	is.Equal(listen("3", `{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["`+uri+`","none://x"]}`),
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["`+uri+`"]}}}`) // SL-01, SL-03
	is.True(strings.Contains(listen(`"b"`, `{"toolsListChanged":true}`), `"io.modelcontextprotocol/subscriptionId":"b"`)) // SL-02, SL-05
	is.True(strings.Contains(listen(`"c"`, `{"promptsListChanged":true}`), `"promptsListChanged":true`))
	write(t, filepath.Join(project, "tools/b/tool.sh"), "#!/bin/sh\n")
	for _, id := range []string{"3", `"b"`} { // and not "c"
		got, _ := s.recv("a change")
		is.Equal(got, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}}`)
	}
	write(t, filepath.Join(project, "resources/note.txt"), "two")
	got, _ := s.recv("an update")
	is.Equal(got, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"uri":"`+uri+`"}}`) // SL-11
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	s.ask("tools/list", claimed("", "{}")) // answered in order, so the stream has ended by then
	write(t, filepath.Join(project, "tools/c/tool.sh"), "#!/bin/sh\n")
	got, _ = s.recv("a change")
	is.True(strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":"b"`)) // SL-06: no longer 3
	s.in.Close()
	rest := s.rest()
	is.Equal(len(rest), 4) // SL-07: for each of the two its result, then its end
	for _, id := range []string{`"b"`, `"c"`} {
		result := slices.IndexFunc(rest, func(l string) bool { return strings.HasPrefix(l, `{"jsonrpc":"2.0","id":`+id) })
		end := slices.IndexFunc(rest, func(l string) bool { return strings.Contains(l, `"requestId":`+id) })
		is.True(result >= 0 && end > result)
	}
	is.Equal(s.wait(), 0)
}

func TestAStreamThatAsksForNothingThereIsStaysOpen(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, workshop)
	is.True(strings.Contains(s.ask("subscriptions/listen", claimed("", "{}")), `"code":-32602`))                                    // SL-04
	is.True(strings.Contains(s.ask("subscriptions/listen", claimed(`{"notifications":{"taskIds":["x"]}}`, "{}")), `"code":-32021`)) // SL-13
	s.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":` + claimed(`{"notifications":{}}`, "{}") + `}`)
	got, _ := s.recv("the acknowledgement")
	is.True(strings.Contains(got, `"notifications":{}`)) // SL-10
	_, before := s.discover()
	is.Equal(len(before), 0)
}
