//go:build unix

package server_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// The scripts would take an hour: each test ends by the limit that it is about.
func TestScriptsOfEveryKindHaveTheLimitThatIsSaid(t *testing.T) {
	const slow = "#!/bin/sh\nexec sleep 3600\n"
	read := map[string]any{"uri": "slow://x"}
	get := map[string]any{"name": "slow"}
	complete := map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": "slow"}, "argument": map[string]any{"name": "a", "value": ""}}
	for _, c := range []struct {
		name, method string
		params       map[string]any
		metadata     string
	}{
		{"asked for", "resources/read", with(read, 0.2), ""},
		{"asked for", "prompts/get", with(get, 0.2), ""},
		{"asked for", "completion/complete", with(complete, 0.2), ""},
		{"by default", "resources/read", read, ""},
		{"by default", "prompts/get", get, ""},
		{"by default", "completion/complete", complete, ""},
		{"by metadata", "resources/read", read, `, "timeoutSecs": 0.2`},
		{"by metadata", "prompts/get", get, `, "timeoutSecs": 0.2`},
	} {
		t.Run(c.method+" "+c.name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			o := server.Options{Log: slog.New(slog.DiscardHandler), ProjectRoot: files(t, map[string]string{
				"resources/slow.sh": slow, "resources/slow.meta.json": `{"name": "slow", "uriTemplate": "slow://{x}"` + c.metadata + `}`,
				"prompts/slow.sh": slow, "prompts/slow.meta.json": `{"arguments": [{"name": "a"}], "completion": {"a": "slow.completion.sh"}` + c.metadata + `}`,
				"prompts/slow.completion.sh": slow,
			})}
			if o.Limits.ToolTimeout = time.Hour; c.name == "by default" {
				o.Limits.ToolTimeout = 200 * time.Millisecond
			}
			srv, err := server.Open(t.Context(), o)
			is.NoErr(err)
			defer srv.Close()
			one := join(t, srv)
			defer one.leave(t)
			err = one.Call(t.Context(), c.method, c.params, nil)
			is.True(err != nil && (strings.Contains(err.Error(), "200ms") || strings.Contains(err.Error(), "0.2")))
		})
	}
}

// with returns params with timeoutSecs.
func with(params map[string]any, secs float64) map[string]any {
	all := map[string]any{"timeoutSecs": secs}
	for name, value := range params {
		all[name] = value
	}
	return all
}
