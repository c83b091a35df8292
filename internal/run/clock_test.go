package run

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestATimeoutTellsWhyAndKeepsTheOutput(t *testing.T) {
	is := is.New(t)
	var got, secs string
	withTime(t, 200*time.Millisecond, func(limit time.Duration) bool {
		got = run(t, "#!/bin/sh\necho so far\nexec sleep 600", func(c *Call) {
			c.Timeout, secs = &limit, fmt.Sprint(limit.Seconds())
			c.Tool.TimeoutHint = "ask for less"
		})
		return strings.Contains(got, "so far")
	})
	is.True(strings.Contains(got, `{"type":"text","text":"Tool timed out after `+secs+`s\n\nSuggestion: ask for less"},{"type":"text","text":"Output until then:\nso far\n"}`))
	is.True(strings.Contains(got, `"structuredContent":{"error":{"hint":"ask for less","message":"Tool timed out after `+secs+`s","reason":"fixed","timeoutSecs":`+secs+`,"type":"timeout"},"success":false}`))
	is.True(strings.Contains(got, `"isError":true,"_meta":{"exitCode":124}`)) // as timeout(1) has it
}

func TestATimeoutTellsWhichLimitTheToolHasMet(t *testing.T) {
	const said = "tool.sh: fork: retry: Resource temporarily unavailable"
	withTime(t, 200*time.Millisecond, func(limit time.Duration) bool {
		got := run(t, "#!/bin/sh\necho '"+said+"' >&2\necho trying >&2\nexec sleep 600", func(c *Call) { c.Timeout = &limit })
		return strings.Contains(got, `s: `+said+`"`)
	})
}

func TestProgressExtendsTheTimeoutUpToTheMaximum(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	yes := true
	extends := func(idle, most time.Duration) func(*Call) {
		return func(c *Call) { c.Timeout, c.Tool.ProgressExtendsTimeout, c.Tool.MaxTimeout = &idle, &yes, &most }
	}
	withTime(t, 400*time.Millisecond, func(idle time.Duration) bool {
		got := run(t, `#!/bin/sh
i=0
while :; do
  i=$((i+1))
  echo '{"method":"notifications/progress","params":{"progress":'$i'}}' >>"$MCP_PROGRESS_STREAM"
  sleep 0.1
done`, extends(idle, 4*idle))
		return strings.Contains(got, "Tool exceeded maximum runtime of "+seconds(4*idle)) // long past the first limit
	})
	got := run(t, "#!/bin/sh\nexec sleep 600", extends(400*time.Millisecond, time.Minute))
	is.True(strings.Contains(got, `Tool timed out after 0.4s (no progress reported)`))
}

func TestTheTimeOfAToolStandsStillWhileItsClientIsAsked(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	r := newRuntime(t)
	installSDK(t, r)
	var h heard
	c := h.call(newTool(t, r, `#!/bin/bash
source "$MCP_SDK/tool-sdk.sh"
mcp_elicit_string "Who are you?"
`))
	c.Patient = true
	withTime(t, 400*time.Millisecond, func(limit time.Duration) bool {
		c.Timeout = &limit
		c.Ask = func(context.Context, ...sdk.Question) []sdk.Answer {
			<-time.After(2 * limit) // the user thinks
			return []sdk.Answer{{Result: json.RawMessage(`{"action":"accept","content":{"value":"Ada"}}`)}}
		}
		result, err := r.Call(t.Context(), c)
		is.NoErr(err)
		return strings.Contains(string(encode(result)), "Ada") // its time is not over
	})
}

func TestACallThatRunsElsewhereWithoutAMaximumHasNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		yes, none := true, time.Duration(0)
		c := new(heard).call(&catalog.Tool{Settings: &catalog.Settings{ProgressExtendsTimeout: &yes, MaxTimeout: &none}})
		bound, c, release := Limits{Timeout: time.Hour}.Bound(t.Context(), c, time.Second)
		defer release()
		for range 10 {
			<-time.After(50 * time.Minute)
			is.NoErr(c.Progress(t.Context(), mcp.ProgressParams{}))
		}
		is.NoErr(bound.Err())
	})
}
