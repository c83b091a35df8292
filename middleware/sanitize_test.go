package middleware_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleSanitize() {
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Sanitize()}, nil,
		"\ufeff"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\r",
		"")
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

func TestBlanksAndByteOrderMarksAroundAMessageAreIgnored(t *testing.T) {
	for name, line := range map[string]string{
		"nothing":                        ping(1),
		"a byte order mark":              "\ufeff" + ping(1),
		"a carriage return":              ping(1) + "\r",
		"blanks":                         " \t" + ping(1) + "\t ",
		"a byte order mark among blanks": " \ufeff\t" + ping(1) + " \r",
		"two byte order marks":           "\ufeff\ufeff" + ping(1),
		"blanks that are not ASCII":      "\u00a0\u2003" + ping(1) + "\u2028",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(pipetest.In(t, middleware.Sanitize(), nil, line), []string{pong(1)}) // served
		})
	}
}

func TestBlankLinesAreDropped(t *testing.T) {
	is := is.New(t)
	got := pipetest.In(t, middleware.Sanitize(), nil, "", " ", "\t", "\r", " \r", "\ufeff", "\ufeff \r", ping(1))
	is.Equal(got, []string{pong(1)}) // only the ping is answered
}

func TestNothingInsideAMessageChanges(t *testing.T) {
	is := is.New(t)
	const message = `{ "jsonrpc" : "2.0", "id":1.0, "method":"m", "params":{"z":1.0,"a":"\ufeff\r\n\u0020 ` + "\ufeff" + ` ","a":1e400} }`
	var seen string
	look := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		seen = string(m.Line())
		return nil, nil
	}
	pipetest.In(t, middleware.Sanitize(), look, "\ufeff"+message+" \r")
	is.Equal(seen, message) // byte for byte
}

func TestMalformedLinesAreStillRefused(t *testing.T) {
	for name, line := range map[string]string{
		"garbage":                        "garbage",
		"garbage in blanks":              " garbage\r",
		"a byte order mark in a message": `{"jsonrpc":"2.0",` + "\ufeff" + `"id":1,"method":"ping"}`,
		"a NUL":                          "\x00",
		"invalid UTF-8":                  "\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := pipetest.In(t, middleware.Sanitize(), nil, line)
			is.Equal(len(got), 1)
			is.True(strings.HasPrefix(got[0], `{"jsonrpc":"2.0","error":{"code":-32700,`)) // a parse error
		})
	}
}

func TestACleanMessageIsAnsweredAsIfItHadComeClean(t *testing.T) {
	is := is.New(t)
	var lines []string
	for _, line := range []string{pipetest.Call(7, "unknown", ""), pipetest.Call(8, "panic", ""), wait(9, 0),
		pipetest.Notification("panic", ""), pipetest.Notification("wait", "5")} {
		lines = append(lines, "\ufeff"+line)
	}
	is.Equal(pipetest.In(t, middleware.Sanitize(), methods().Serve, lines...), []string{
		refusal(7, -32601, "Method not found: unknown"), // refused with its id
		refusal(8, -32603, "internal error: panic"),
		waited(9), // and notifications are not answered
	})
}

func TestATooLongLineKeepsItsError(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, line := range map[string]string{
		"bare":                          long,
		"a byte order mark":             "\ufeff" + long,
		"blanks":                        "  " + long + "\r",
		"nothing but blanks":            strings.Repeat(" ", 1<<20+1),
		"a byte order mark, and blanks": "\ufeff" + strings.Repeat(" ", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := pipetest.In(t, middleware.Sanitize(), nil, line, ping(2))
			var id any
			if strings.Contains(line, `"id":1`) { // it is in what was kept of the line
				id = 1
			}
			is.Equal(got, []string{refusal(id, -32600, "invalid request: the line is longer than 1048576 bytes"), pong(2)})
		})
	}
}

func TestABatchAfterAByteOrderMarkIsABatch(t *testing.T) {
	is := is.New(t)
	always := func() bool { return true }
	got := pipetest.Chain(t, chain(middleware.Sanitize(), middleware.Batch(pipeline.MCP, always)), nil, "\ufeff["+ping(1)+","+ping(2)+"]\r")
	is.Equal(got, []string{pong(1), pong(2)})
}
