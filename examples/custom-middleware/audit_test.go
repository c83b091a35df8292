package custom_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	custom "github.com/mcp-bash/mcp-bash/v2/examples/custom-middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// plain returns a logger without the time of day and other attributes that vary.
func plain(w io.Writer, varying ...string) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || slices.Contains(varying, a.Key) {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// tools simulates tools whose names are their behaviour.
func tools(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	var p struct {
		Name string `json:"name"`
	}
	if err := m.Decode(&p); err != nil {
		return nil, err
	}
	switch p.Name {
	case "work":
		return m.Answer(json.RawMessage(`{"content":[]}`))
	case "fail":
		return m.Answer(json.RawMessage(`{"content":[],"isError":true}`))
	case "hang":
		pipeline.Yield(ctx)
		select {
		case <-time.After(90 * time.Second):
			return m.Answer(json.RawMessage(`{"content":[]}`))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return nil, pipeline.Errorf(-32602, "Unknown tool: %s", p.Name)
}

func call(id int, tool string) string {
	return pipetest.Call(id, "tools/call", fmt.Sprintf(`{"name":%q}`, tool))
}

func ExampleAudit() {
	pipetest.Serve(os.Stdout, []pipeline.Middleware{custom.Audit(plain(os.Stdout, "took"))}, tools,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"work"}}`)
	// Output:
	// level=INFO msg="tool called" outcome=ok tool=work id=7
	// {"jsonrpc":"2.0","id":7,"result":{"content":[]}}
}

func TestEachCallOfAToolIsLogged(t *testing.T) {
	for name, want := range map[string]string{
		"work": `outcome=ok tool=work id=7 took=0s`,
		"fail": `outcome=failed tool=fail id=7 took=0s`,
		"hang": `outcome=ok tool=hang id=7 took=1m30s`,
		"nope": `outcome=refused error="Unknown tool: nope" tool=nope id=7 took=0s`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				var log strings.Builder
				pipetest.In(t, custom.Audit(plain(&log)), tools, call(7, name))
				is.Equal(log.String(), `level=INFO msg="tool called" `+want+"\n")
			})
		})
	}
}

func TestNothingElseIsLogged(t *testing.T) {
	is := is.New(t)
	var log strings.Builder
	pipetest.In(t, custom.Audit(plain(&log)), nil,
		pipetest.Call(1, "ping", ""),
		pipetest.Call(2, "tools/list", ""),
		pipetest.Notification("tools/call", `{"name":"work"}`))
	is.Equal(log.String(), "")
}

func TestWhatTheClientReadsIsTheSameWithAndWithoutIt(t *testing.T) {
	is := is.New(t)
	lines := []string{call(1, "work"), call(2, "fail"), call(3, "nope"), pipetest.Call(4, "tools/call", `[]`)}
	with := pipetest.In(t, custom.Audit(plain(io.Discard)), tools, lines...)
	without := pipetest.Chain(t, nil, tools, lines...)
	is.Equal(with, without)
}
