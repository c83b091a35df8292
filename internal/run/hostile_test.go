//go:build unix

package run

import (
	stdjson "encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestWhatAToolWritesNeverMakesAMessageThatClientsCannotRead(t *testing.T) {
	for _, script := range []string{
		`printf '{"a":"x\377","b":"\\ud800"}'`,
		`printf '{"content":[{"type":"text","text":"x\377\\udc00"}],"structuredContent":{"s":"\377"},"_meta":{"k\377":"\377"}}'`,
		`printf '{"method":"notifications/message","params":{"level":"error","logger":"\377","data":{"s":"\377\\ud800"}}}\n' >>"$MCP_LOG_STREAM"`,
		`printf '{"method":"notifications/progress","params":{"progress":1,"message":"\377\\ud800"}}\n' >>"$MCP_LOG_STREAM"`,
		`echo a >a; printf 'a\ttext/x\377\tmine://\377\nnone\377\n' >"$MCP_TOOL_RESOURCES_FILE"`,
		`printf 'x\377' >&2; exit 1`,
	} {
		is := is.New(t)
		r := newRuntime(t)
		var h heard
		c := h.call(newTool(t, r, "#!/bin/sh\n"+script))
		c.Meta = json.RawMessage(`{"progressToken":1}`)
		c.Folders = []roots.Root{{URI: "file:///%FF", Name: "\xff", Path: "/\xff"}} // a folder may have such a name
		result, err := r.Call(t.Context(), c)
		is.NoErr(err)
		for _, said := range []any{result, h.progress, h.logs} {
			sent, err := stdjson.Marshal(said)
			is.NoErr(err)
			is.True(json.Value(sent).IsValid()) // strict: valid UTF-8, whole surrogate pairs
		}
		for _, l := range h.logs {
			if text, ok := l.Data.(string); ok {
				is.True(utf8.ValidString(text))
			}
		}
	}
}

func TestWhatTheSDKLogsIsReadableToo(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	installSDK(t, r)
	var h heard
	_, err := r.Call(t.Context(), h.call(newTool(t, r, `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_log warning me '{"a":"\ud800"}'`)))
	is.NoErr(err)
	is.Equal(string(encode(h.logs)), "[{\"level\":\"warning\",\"logger\":\"me\",\"data\":{\"a\":\"\ufffd\"}}]")
}

func TestTheErrorFileNeverMakesAMessageThatClientsCannotRead(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	tool := newTool(t, r, `#!/bin/sh
printf '{"code":-32099,"message":"m\377","data":{"s":"\377\\ud800"}}' >"$MCP_TOOL_ERROR_FILE"`)
	_, err := r.Call(t.Context(), new(heard).call(tool))
	var e *jsonrpc2.Error
	is.True(errors.As(err, &e))
	is.Equal(e.Message, "m\ufffd")
	is.Equal(string(*e.Data), "{\"s\":\"\ufffd\ufffd\"}")
}

func TestFilesThatNeverEndDoNotHoldUpTheCall(t *testing.T) {
	for _, make := range []string{"mkfifo", "ln -s /dev/zero", "mkdir"} {
		is := is.New(t)
		r := newRuntime(t)
		var h heard
		_, err := r.Call(t.Context(), h.call(newTool(t, r, "#!/bin/sh\n"+make+` "$MCP_TOOL_ERROR_FILE"`)))
		is.True(err != nil && strings.Contains(err.Error(), "Tool failed")) // told, not waited for
		result, err := r.Call(t.Context(), h.call(newTool(t, r, "#!/bin/sh\n"+make+` "$MCP_TOOL_RESOURCES_FILE"`)))
		is.NoErr(err)
		is.Equal(len(result.Content), 1)
		is.Equal(len(h.logs), 1) // why nothing is embedded
	}
}

func TestAStructuredResultWithoutContentIsToldAsTextToo(t *testing.T) {
	is := is.New(t)
	const script = `#!/bin/sh
echo '{"content":[],"structuredContent":{"n":12345678901234567890},"_meta":{"m":12345678901234567890}}'`
	is.Equal(run(t, script), `{"content":[{"type":"text","text":"{\"n\":12345678901234567890}"}],"structuredContent":{"n":12345678901234567890},`+
		`"isError":false,"_meta":{"exitCode":0,"m":12345678901234567890}}`) // T-09, numbers as they were
	is.Equal(run(t, script, func(c *Call) { c.Revision = mcp.Negotiate("2024-11-05") }), // the text says it too (L-05)
		`{"content":[{"type":"text","text":"{\"n\":12345678901234567890}"}],"structuredContent":{"n":12345678901234567890},"isError":false,"_meta":{"exitCode":0,"m":12345678901234567890}}`)
}

func TestAFolderWithAnotherStreamIsNotUsedAgain(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	_, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\nrm \"$MCP_PROGRESS_STREAM\"; mkfifo \"$MCP_PROGRESS_STREAM\"")))
	is.NoErr(err)
	var h heard
	c := h.call(newTool(t, r, "#!/bin/sh\necho '{\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}' >>\"$MCP_LOG_STREAM\""))
	limit := 10 * time.Second
	c.Timeout = &limit
	_, err = r.Call(t.Context(), c)
	is.NoErr(err)
	is.Equal(len(h.logs), 1) // nobody listens to the other one
}

func TestCallsGoOnWhenTheStateFolderWasCleanedUp(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	r.State = filepath.Join(r.State, "state")
	tool := newTool(t, r, "#!/bin/sh\necho '{\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}' >>\"$MCP_LOG_STREAM\"")
	for range 2 {
		is.NoErr(files.RemoveAll(r.State))
		var h heard
		result, err := r.Call(t.Context(), h.call(tool))
		is.NoErr(err)
		is.True(!result.IsError)
		is.Equal(len(h.logs), 1)
	}
	info, err := os.Stat(r.State)
	is.NoErr(err)
	is.Equal(info.Mode().Perm(), os.FileMode(0o700)) // private as before
}

func TestAProgressTokenMayHoldAZeroByte(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\nprintf %s \"$MCP_PROGRESS_TOKEN\"", func(c *Call) {
		c.Meta = json.RawMessage(`{"progressToken":"a\u0000b"}`)
	})
	is.True(strings.Contains(got, `"text":"ab"`)) // which no variable can
}
