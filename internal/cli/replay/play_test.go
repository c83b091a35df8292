package replay_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
)

// served is a server that is a function: what it writes for each line.
type served struct {
	io.Reader
	in *io.PipeWriter
}

func (s served) Write(b []byte) (int, error) { return s.in.Write(b) }
func (s served) CloseWrite() error           { return s.in.Close() }
func (s served) Close() error                { return s.in.Close() }

func serve(answer func(line string) string) served {
	in, client := io.Pipe()
	server, out := io.Pipe()
	go func() {
		scan := bufio.NewScanner(in)
		for scan.Scan() {
			if text := answer(scan.Text()); text != "" {
				fmt.Fprintln(out, text)
			}
		}
		out.Close()
	}()
	return served{server, client}
}

const asked = `{"way":"in","message":{"id":1,"method":"tools/list"}}
{"way":"out","message":{"id":1,"result":{"nextCursor":"then","at":"2026-01-02T03:04:05Z","in":"/tmp/mcpbash.state.abc/x"}}}
{"way":"in","message":{"id":2,"method":"tools/list","params":{"cursor":"then"}}}
{"way":"out","message":{"id":2,"result":{}}}
{"way":"out","message":{"id":"server-1","method":"elicitation/create","params":{}}}
{"way":"in","message":{"id":"server-1","result":{"action":"accept"}}}
`

func TestWhatAServerMakesAnewIsSaidBackToIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := read(t, write(t, "x.ndjson", asked))
		var said []string
		o, err := c.Play(serve(func(line string) string {
			said = append(said, line)
			switch len(said) {
			case 1:
				return `{"id":1,"result":{"nextCursor":"now","at":"2026-11-12T13:14:15.5+01:00","in":"/var/tmp/mcpbash.state.xyz/x"}}`
			case 2:
				return `{"id":"server-7","method":"elicitation/create","params":{}}` + "\n" + `{"id":2,"result":{}}`
			}
			return ""
		}), replay.Options{})
		is.NoErr(err)
		is.Equal(replay.Text(o.Differences), "")
		is.Equal(said[1], `{"id":2,"method":"tools/list","params":{"cursor":"now"}}`)
		is.Equal(said[2], `{"id":"server-7","result":{"action":"accept"}}`)
	})
}

func TestWhatAServerMakesAnewMayBeWhatItOnceMadeForSomethingElse(t *testing.T) {
	for range 20 { // whatever the order of a map is
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			c := read(t, write(t, "x.ndjson", `{"way":"in","message":{"id":1,"method":"tools/call"}}
{"way":"out","message":{"id":1,"result":{"inputRequests":{"a":{"method":"x"},"b":{"method":"x"},"c":{"method":"y"}},"requestState":"s"}}}
{"way":"in","message":{"id":2,"method":"tools/call","params":{"inputResponses":{"a":1,"b":2,"c":3},"requestState":"s"}}}
{"way":"out","message":{"id":2,"result":{}}}
`))
			var said []string
			_, err := c.Play(serve(func(line string) string {
				if said = append(said, line); len(said) == 1 {
					return `{"id":1,"result":{"inputRequests":{"b":{"method":"x"},"c":{"method":"x"},"a":{"method":"y"}},"requestState":"t"}}`
				}
				return `{"id":2,"result":{}}`
			}), replay.Options{})
			is.NoErr(err)
			is.Equal(said[1], `{"id":2,"method":"tools/call","params":{"inputResponses":{"b":1,"c":2,"a":3},"requestState":"t"}}`)
		})
	}
}

func TestWhatDoesNotComeIsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := read(t, write(t, "x.ndjson", asked))
		o, err := c.Play(serve(func(line string) string {
			if strings.Contains(line, `"id":2`) {
				return `{"id":2,"result":{"tools":[]}}` + "\n" + `{"method":"notifications/message"}`
			}
			return ""
		}), replay.Options{})
		is.NoErr(err)
		text := replay.Text(o.Differences)
		is.True(strings.Contains(text, `-    "nextCursor": "(nextCursor)"`)) // the answer that did not come
		is.True(strings.Contains(text, `+    "tools": []`))                  // the one that is another
		is.True(strings.Contains(text, `+  "method": "notifications/message"`))
		is.True(strings.Contains(text, `  {"id":1,"method":"tools/list"}`)) // what was asked
	})
}

func TestNotificationsCanBeIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := read(t, write(t, "x.ndjson", `{"way":"in","message":{"id":1,"method":"ping"}}
{"way":"out","message":{"method":"notifications/tools/list_changed"}}
{"way":"out","message":{"id":1,"result":{}}}
`))
		o, err := c.Play(serve(func(string) string { return `{"id":1,"result":{}}` }),
			replay.Options{Ignore: []string{"notifications/tools/list_changed"}})
		is.NoErr(err)
		is.Equal(len(o.Differences), 0)
	})
}

const byHand = `{"id":1,"method":"tools/call"}

{"id":"server-1","result":{}}
`

// The server has answered the ping behind a block when it answers what the client was asked in it.
func slowly(line string) string {
	switch {
	case strings.Contains(line, "tools/call"):
		return `{"id":"server-1","method":"elicitation/create"}`
	case strings.Contains(line, "ping"):
		return `{"id":"mcp-bash replay: quiet?","result":{}}`
	}
	return ""
}

func TestAnAnswerThatFollowsTheClientsOwnIsPartOfItsBlockHoweverLateItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		path := write(t, "x.client.ndjson", byHand)
		c := read(t, path)
		pings := 0
		o, err := c.Play(serve(func(line string) string {
			text := slowly(line)
			if strings.Contains(line, "ping") {
				if pings++; pings == 2 {
					text += "\n" + `{"id":1,"result":{}}`
				}
			}
			return text
		}), replay.Options{})
		is.NoErr(err)
		is.Equal(o.Written, [][]string{{`{"id":"server-1","method":"elicitation/create"}`}, {`{"id":1,"result":{}}`}, {}})
	})
}

func TestALineThatComesEarlierThanInAConversationWrittenByHandIsTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		path := write(t, "x.client.ndjson", byHand)
		is.NoErr(os.WriteFile(strings.TrimSuffix(path, ".client.ndjson")+".server.ndjson",
			[]byte(`{"id":"server-1","method":"elicitation/create"}`+"\n\n\n"+`{"id":1,"result":{}}`+"\n"), 0o600))
		c := read(t, path)
		o, err := c.Play(serve(func(line string) string {
			if strings.Contains(line, `"server-1"`) {
				return `{"id":1,"result":{}}`
			}
			return slowly(line)
		}), replay.Options{})
		is.NoErr(err)
		is.Equal(replay.Text(o.Differences), "")
	})
}

func TestARecordingTellsWhatItsServerWasCalled(t *testing.T) {
	for answer, want := range map[string]string{
		`{"id":1,"result":{"serverInfo":{"name":"then","title":"Then"}}}`: "MCPBASH_SERVER_NAME=then MCPBASH_SERVER_TITLE=Then",
		`{"id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"then"}}}}`: "MCPBASH_SERVER_NAME=then " +
			"MCPBASH_SERVER_TITLE=",
		`{"id":1,"result":{}}`: "",
	} {
		is := is.New(t)
		path := write(t, "x.client.ndjson", `{"id":1,"method":"initialize"}`+"\n")
		is.NoErr(os.WriteFile(strings.Replace(path, "client", "server", 1), []byte(answer+"\n"), 0o600))
		is.Equal(strings.Join(read(t, path).Identity(), " "), want)
	}
}
